package render

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// minWidth is what deep nesting leaves for text, in columns.
const minWidth = 20

// narrower is width less n columns; 0 stays "no wrapping".
func narrower(width, n int) int {
	if width == 0 {
		return 0
	}
	return max(width-n, minWidth)
}

// children lays out the blocks in n, an empty line between them.
func (p painter) children(n ast.Node, width int) []line {
	tight := false
	if item, ok := n.(*ast.ListItem); ok {
		tight = item.Parent().(*ast.List).IsTight
	}
	var out []line
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := p.block(c, width)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight {
			out = append(out, nil)
		}
		out = append(out, lines...)
	}
	return out
}

func (p painter) block(n ast.Node, width int) []line {
	switch n := n.(type) {
	case *ast.Heading:
		l := bold
		if n.Level <= 2 {
			l |= underline
		}
		return wrap(p.inline(n, l), width, false)
	case *ast.Paragraph, *ast.TextBlock:
		return wrap(p.inline(n, 0), width, false)
	case *ast.ThematicBreak:
		return []line{{{text: strings.Repeat("─", 20), look: dim}}}
	case *ast.FencedCodeBlock:
		return p.code(n, Clean(string(n.Language(p.src))))
	case *ast.CodeBlock:
		return p.code(n, "")
	case *ast.HTMLBlock:
		return p.html(n)
	case *ast.Blockquote:
		bar := span{text: "> "}
		if p.style.Color {
			bar = span{text: "│ ", look: dim}
		}
		return prefix(p.children(n, narrower(width, 2)), bar, bar)
	case *ast.List:
		return p.list(n, width)
	case *extast.Table:
		return p.table(n, width)
	}
	return p.children(n, width)
}

// code indents a block of code, its language above it.
func (p painter) code(n ast.Node, language string) []line {
	var out []line
	if language != "" {
		out = append(out, line{{text: "  " + oneLine(language) + ":", look: dim}})
	}
	for _, text := range p.lines(n) {
		out = append(out, line{{text: "    "}, {text: text, look: code}})
	}
	return out
}

// html shows raw HTML as it is written, but for comments.
func (p painter) html(n *ast.HTMLBlock) []line {
	if n.HTMLBlockType == ast.HTMLBlockType2 {
		return nil
	}
	var out []line
	for _, text := range p.lines(n) {
		out = append(out, line{{text: text}})
	}
	if n.HasClosure() {
		closing := strings.TrimRight(Clean(string(n.ClosureLine.Value(p.src))), "\n")
		out = append(out, line{{text: closing}})
	}
	return out
}

// lines are the source lines of n, tabs as four spaces.
func (p painter) lines(n ast.Node) []string {
	var out []string
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		text := strings.TrimRight(Clean(string(segment.Value(p.src))), "\n")
		out = append(out, strings.ReplaceAll(text, "\t", "    "))
	}
	return out
}

func (p painter) list(n *ast.List, width int) []line {
	var out []line
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "• "
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		pad := Width(marker)
		lines := p.children(item, narrower(width, pad))
		if len(lines) == 0 {
			lines = []line{nil}
		}
		if len(out) > 0 && !n.IsTight {
			out = append(out, nil)
		}
		out = append(out, prefix(lines, span{text: marker}, span{text: strings.Repeat(" ", pad)})...)
	}
	return out
}

// prefix puts first before the first line and rest before the others.
func prefix(lines []line, first, rest span) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		head := rest
		if i == 0 {
			head = first
		}
		out[i] = append(line{head}, l...)
	}
	return out
}
