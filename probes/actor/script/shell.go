package script

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// sleep waits as \sleep says: an integer or a variable, and us, ms or s.
func (m *Machine) sleep(ctx context.Context, c *command) error {
	text := c.args[0]
	if name, isVar := strings.CutPrefix(text, ":"); isVar {
		v, ok := m.Var(name)
		if !ok {
			return fmt.Errorf("sleep: undefined variable %q", name)
		}
		if afterSign := strings.TrimLeft(v.Text, "+-"); afterSign == "" || !isDigit(afterSign[0]) {
			return fmt.Errorf("sleep: invalid sleep time %q for variable %q", v.Text, name)
		}
		text = v.Text
	}
	// Like C's atoi: 1.5 is 1.
	n, err := strconv.ParseInt(text[:len(text)-len(afterNumber(text))], 10, 32)
	if err != nil {
		return fmt.Errorf("sleep: %s is out of range", text)
	}
	unit := time.Second
	if len(c.args) > 1 {
		unit = map[string]time.Duration{"us": time.Microsecond, "ms": time.Millisecond, "s": time.Second}[strings.ToLower(c.args[1])]
	}
	return m.wait(ctx, time.Duration(n)*unit)
}

func (m *Machine) wait(ctx context.Context, d time.Duration) error {
	if m.env.Sleep != nil {
		return m.env.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shell runs \shell and \setshell in sh. The latter wants an integer on the first
// line.
func (m *Machine) shell(ctx context.Context, c *command) error {
	name := strings.TrimPrefix(verbWords[c.verb], `\`)
	line, err := m.shellLine(name, c.args)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.WaitDelay = time.Second // a child that keeps the output open must not hold the lane
	if c.verb == verbShell {
		cmd.Stdout, cmd.Stderr = m.output, m.output
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: running %q: %w", name, line, err)
		}
		return nil
	}
	out, err := cmd.Output()
	first, _, _ := strings.Cut(string(out), "\n")
	if first == "" && len(out) == 0 {
		return fmt.Errorf("%s: could not read result of shell command %q: %w", name, line, err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(first), 10, 32)
	if err != nil {
		return fmt.Errorf("%s: shell command must return an integer (not %q)", name, first)
	}
	s, err := m.slot(c.name)
	if err == nil {
		s.setValue(intValue(n))
	}
	return err
}

// shellLine joins the words: :name is a variable, ::text is :text.
func (m *Machine) shellLine(command string, args []string) (string, error) {
	words := make([]string, len(args))
	for i, a := range args {
		name, isVar := strings.CutPrefix(a, ":")
		switch {
		case !isVar:
			words[i] = a
		case strings.HasPrefix(name, ":"):
			words[i] = name
		default:
			v, ok := m.Var(name)
			if !ok {
				return "", fmt.Errorf("%s: undefined variable %q", command, a)
			}
			words[i] = v.String()
		}
	}
	return strings.Join(words, " "), nil
}
