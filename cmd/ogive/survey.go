package main

import (
	"slices"

	"github.com/spf13/cobra"
)

// survey is what the commands have in common that say something of all values of a
// column, an array, or of each group of rows.
type survey struct {
	in      inputFlags
	out     outputFlags
	work    workFlags
	weights string
	by      []string
	sorted  bool
	apart   bool // columns that cannot be read are left out
}

// register adds the flags, those of the output if there is one.
func (f *survey) register(cmd *cobra.Command, output bool) {
	groupFlags(cmd, &f.by, &f.sorted)
	weightsFlag(cmd, &f.weights, valueWeights)
	if f.out.records = true; output {
		f.out.register(cmd)
	}
	f.in.register(cmd)
	f.work.register(cmd)
}

// open checks the flags and reads the FILEs. What the command is called is for messages.
func (f *survey) open(cmd *cobra.Command, s streams, files []string, what string) (in *operands, g *grouping, done func(), err error) {
	if err := f.work.onHost(what); err != nil {
		return nil, nil, nil, err
	}
	options, err := f.in.options()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := f.out.check(cmd, s); err != nil {
		return nil, nil, nil, err
	}
	opener, err := newOpener(cmd.Context(), s, f.work)
	if err != nil {
		return nil, nil, nil, err
	}
	if f.apart {
		options = apart(options)
	}
	options.Groups = f.by
	options.Keys = []string{f.weights}
	open, err := opener.openAll(filesOf(files), options)
	if err != nil {
		return nil, nil, nil, err
	}
	done = func() { closeAll(open) }
	counts, err := opener.weightsName(open, f.weights, f.in.perFile)
	if err == nil {
		in, err = opener.inputs(open, f.in.perFile)
	}
	if err == nil {
		err = opener.weigh(in, counts, len(options.Columns) == 0)
	}
	if err == nil {
		err = in.weighEach()
	}
	if err == nil && f.by != nil {
		g, err = opener.groups(in, f.by, f.sorted)
	}
	if err != nil {
		done()
		return nil, nil, nil, err
	}
	return in, g, done, nil
}

// subject is what a line of a survey is about: an operand, or a group of its rows.
type subject struct {
	labels []string
	o      *operand
	of     int // which operand it is
	group  int // 0 without groups
}

// subjects returns what the lines of a survey are about, and the names of their labels.
func subjects(in *operands, g *grouping) (names []string, list []subject) {
	if in.list[0].file != "" {
		names = append(names, "file")
	}
	groups := []int{0}
	if g != nil {
		names, groups = append(names, g.names...), g.order
	}
	column := in.table || g != nil
	if column {
		names = append(names, "column")
	}
	for _, group := range groups {
		for i := range in.list {
			o := &in.list[i]
			var labels []string
			if o.file != "" {
				labels = append(labels, o.file)
			}
			if g != nil {
				labels = g.label(labels, group)
			}
			if column {
				labels = append(labels, o.name)
			}
			list = append(list, subject{slices.Clip(labels), o, i, group})
		}
	}
	return names, list
}

// groupsOf returns how many groups there are, and the group of a row.
func groupsOf(g *grouping) (count int, of func(i int) int) {
	if g == nil {
		return 1, func(int) int { return 0 }
	}
	return len(g.first), func(i int) int { return int(g.of[i]) }
}
