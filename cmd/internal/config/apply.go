package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
)

// Value is what a flag of a command is worth, and where that was said.
type Value struct {
	Flag   *pflag.Flag
	Values []string // several for a list, none for an empty one
	Origin Origin
}

// Name is the name of a command as a file has it: without that of the root.
func Name(cmd *cobra.Command) string {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	return name
}

// Flags are the flags of a command, those of all commands included, by name.
func Flags(cmd *cobra.Command) []*pflag.Flag {
	var all []*pflag.Flag
	visit := func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "version" && !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	cmd.LocalFlags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	slices.SortFunc(all, func(a, b *pflag.Flag) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Effective returns the value of every flag of cmd, by name. Flags that were
// given on the command line must be parsed.
func (c *Config) Effective(cmd *cobra.Command) []Value {
	var all []Value
	for _, f := range Flags(cmd) {
		all = append(all, c.value(cmd, f))
	}
	for i, v := range all {
		if strongest(all, v).before(v.Origin.Layer) && v.Origin.Layer != Default {
			all[i] = Value{Flag: v.Flag, Values: presets(v.Flag), Origin: Origin{Layer: Default}}
		}
	}
	return all
}

// strongest is the strongest layer that names v's flag or a rival of it.
func strongest(all []Value, v Value) Layer {
	best := v.Origin.Layer
	for _, group := range rivals {
		if !slices.Contains(group, v.Flag.Name) {
			continue
		}
		for _, other := range all {
			if slices.Contains(group, other.Flag.Name) && other.Origin.Layer.before(best) {
				best = other.Origin.Layer
			}
		}
	}
	return best
}

func (c *Config) value(cmd *cobra.Command, f *pflag.Flag) Value {
	if f.Changed {
		return Value{Flag: f, Values: split(f), Origin: Origin{Layer: CommandLine}}
	}
	for _, name := range variables(Name(cmd), f.Name) {
		if text := c.variable(name); text != "" && !reads[f.Name] {
			return Value{Flag: f, Values: listed(f, text), Origin: Origin{Layer: Environment, Variable: name}}
		}
	}
	for _, layer := range []Layer{Repository, User} {
		for _, command := range []string{Name(cmd), ""} {
			if s, ok := c.setting(layer, command, f.Name); ok {
				return Value{Flag: f, Values: s.values, Origin: s.origin}
			}
		}
	}
	return Value{Flag: f, Values: presets(f), Origin: Origin{Layer: Default}}
}

func (c *Config) variable(name string) string {
	if c.env == nil {
		return ""
	}
	return c.env(name)
}

func (c *Config) setting(layer Layer, command, flag string) (setting, bool) {
	i := slices.IndexFunc(c.settings, func(s setting) bool {
		return s.origin.Layer == layer && s.command == command && s.flag == flag
	})
	if i < 0 {
		return setting{}, false
	}
	return c.settings[i], true
}

// variables are the names of the variables of a flag, the strongest first.
func variables(command, flag string) []string {
	underscored := strings.NewReplacer("-", "_", " ", "_")
	names := []string{"CCHECK_" + strings.ToUpper(underscored.Replace(flag))}
	if command != "" {
		names = slices.Insert(names, 0, "CCHECK_"+strings.ToUpper(underscored.Replace(command+" "+flag)))
	}
	return names
}

// Apply gives the flags of cmd the values that the environment and the files
// have for them. It leaves Changed as it is: a configured value is another
// default, and gives way where a default does. The values that were given are
// returned.
func (c *Config) Apply(cmd *cobra.Command) ([]Value, error) {
	var given []Value
	var errs []error
	for _, v := range c.Effective(cmd) {
		if l := v.Origin.Layer; l == CommandLine || l == Default {
			continue
		}
		given = append(given, v)
		errs = append(errs, v.set())
	}
	return given, errors.Join(errs...)
}

// set gives the flag its value.
func (v Value) set() error {
	if why := refusal(v.Flag.Name, v.Origin.Layer, v.Values); why != "" {
		return refused(v.Origin, v.Flag.Name, why)
	}
	var err error
	if list, ok := v.Flag.Value.(pflag.SliceValue); ok {
		err = list.Replace(v.items())
	} else if len(v.Values) == 1 {
		err = v.Flag.Value.Set(v.Values[0])
	} else {
		return exit.Usagef("%s: --%s takes one value, not a list", v.Origin, v.Flag.Name).WithHint("write %s: VALUE", v.Flag.Name)
	}
	var own *exit.Error
	switch {
	case errors.As(err, &own):
		return exit.Usagef("%s: --%s: %s", v.Origin, v.Flag.Name, own.Msg).WithHint("%s", own.Hint)
	case err != nil:
		return exit.Usagef("%s: --%s cannot be %s", v.Origin, v.Flag.Name, flags.Shown(strings.Join(v.Values, ","))).
			WithHint("it takes %s", flags.Takes(v.Flag))
	}
	return nil
}

// items are the values of a list. One of pflag's lists has commas of its own.
func (v Value) items() []string {
	if v.Flag.Value.Type() == "stringSlice" {
		return strings.Split(strings.Join(v.Values, ","), ",")
	}
	return v.Values
}

func refused(at Origin, flag, why string) error {
	return exit.Refusedf("%s: --%s is not taken from here, because %s", at, flag, why).WithHint("give --%s on the command line", flag)
}

// Explain adds to a usage error where a flag in it was set when that was not on
// the command line: its author may never have heard of the flag.
func Explain(err error, given []Value) error {
	var e *exit.Error
	if !errors.As(err, &e) || e.Code != exit.Usage {
		return err
	}
	var from []string
	for _, v := range given {
		if names(e.Msg, "--"+v.Flag.Name) {
			from = append(from, fmt.Sprintf("--%s is set by %s", v.Flag.Name, v.Origin))
		}
	}
	if len(from) == 0 {
		return err
	}
	c := *e
	c.Msg += " (" + strings.Join(from, ", ") + ")"
	return &c
}

// names reports whether the flag stands in the text as a word.
func names(text, flag string) bool {
	_, rest, ok := strings.Cut(text, flag)
	return ok && (rest == "" || !strings.ContainsAny(rest[:1], "-abcdefghijklmnopqrstuvwxyz"))
}

// split is the value of a flag as the list of what was given.
func split(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// presets is the default of a flag.
func presets(f *pflag.Flag) []string {
	if _, ok := f.Value.(pflag.SliceValue); ok {
		return nil
	}
	return []string{f.DefValue}
}

// listed is the text of a variable as the flag would take it: a list has
// commas.
func listed(f *pflag.Flag, text string) []string {
	if _, ok := f.Value.(pflag.SliceValue); ok {
		return strings.Split(text, ",")
	}
	return []string{text}
}
