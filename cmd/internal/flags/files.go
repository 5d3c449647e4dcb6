package flags

import "github.com/spf13/cobra"

// Files completes one argument with the files whose names end so.
func Files(ext ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return ext, cobra.ShellCompDirectiveFilterFileExt
	}
}
