#!/bin/sh
# Unpacks Debian's documentation packages below a folder, without installing them:
# the trees that the crawl and the extraction are measured on.
#   sh test/corpora.sh DIR      then the trees are in DIR/usr/share/doc
set -eu
dir=${1:?usage: corpora.sh DIR}
packages="postgresql-doc-15 python3.11-doc python-django-doc git-doc sqlite3-doc nodejs-doc mkdocs-doc python3-sphinx-tabs-doc debian-handbook"
[ -f "$dir/.complete" ] && exit 0
mkdir -p "$dir/debs"
dir=$(cd "$dir" && pwd)
cd "$dir/debs"
if [ "$(id -u)" = 0 ]; then apt-get update -q; fi
# shellcheck disable=SC2086
apt-get download $packages
for deb in *.deb; do dpkg -x "$deb" "$dir"; done
rm -rf "$dir/debs"
touch "$dir/.complete"
