package config

import (
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
)

type setting struct{ name, value string }

// flatten reads a YAML document into dotted names and their scalar values, in the
// order of the file; a list becomes its items between commas.
func flatten(doc []byte) ([]setting, error) {
	if len(strings.TrimSpace(string(doc))) == 0 {
		return nil, nil
	}
	var root yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(doc, &root, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("read YAML: %s", yaml.FormatError(err, false, false))
	}
	var out []setting
	var walk func(prefix string, m yaml.MapSlice) error
	walk = func(prefix string, m yaml.MapSlice) error {
		for _, item := range m {
			name := prefix + fmt.Sprint(item.Key)
			switch v := item.Value.(type) {
			case yaml.MapSlice:
				if err := walk(name+".", v); err != nil {
					return err
				}
			case []any:
				var parts []string
				for _, x := range v {
					parts = append(parts, fmt.Sprint(x))
				}
				out = append(out, setting{name, strings.Join(parts, ",")})
			case nil:
				// A section whose keys are all commented out.
			default:
				out = append(out, setting{name, fmt.Sprint(v)})
			}
		}
		return nil
	}
	return out, walk("", root)
}

// Print writes the effective configuration as a footnote.yaml, each key with its
// help, unit, bound and variable. Secrets say only whether they are set, commented
// out, so that the text can be shared and used as a file.
func (c Config) Print(w io.Writer) error {
	section := ""
	var b strings.Builder
	for _, k := range table() {
		parent, leaf, nested := strings.Cut(k.Name, ".")
		indent := ""
		if nested {
			indent = "  "
			if parent != section {
				fmt.Fprintf(&b, "\n%s:\n", parent)
				section = parent
			}
		} else {
			leaf = k.Name
		}
		fmt.Fprintf(&b, "%s# %s\n", indent, strings.Join(k.notes(), "; "))
		if k.Secret {
			fmt.Fprintf(&b, "%s# %s: %s\n", indent, leaf, k.get(c))
			continue
		}
		fmt.Fprintf(&b, "%s%s: %s\n", indent, leaf, scalar(k.get(c)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (k key) notes() []string {
	out := []string{k.Help}
	if k.Unit != "" {
		out = append(out, k.Unit)
	}
	if k.Bound != "" {
		out = append(out, k.Bound)
	}
	if k.NotYet {
		out = append(out, "not used by this version yet")
	}
	return append(out, k.Env)
}

// scalar quotes what YAML would otherwise read as something else.
func scalar(v string) string {
	if v == "" || strings.ContainsAny(v, "*:#,'\"{}[]&!|>%@`") || v == "on" || v == "off" {
		return fmt.Sprintf("%q", v)
	}
	return v
}
