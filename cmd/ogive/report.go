package main

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ogive-go/ogive/cmd/ogive/plot"
	"github.com/ogive-go/ogive/rank"
)

// reportOptions are a parsed command line of report.
type reportOptions struct {
	sampleOptions
	path  string
	title string
	log   bool
}

// mostSections is how many columns a report shows.
const mostSections = 200

const reportHelp = `One page of HTML that needs nothing else and fetches nothing: the table of describe,
and for each column box plots, the share of the values up to each value, and the value
of each quantile, of its groups or FILEs in one picture. The pointer, or a finger, shows
numbers. It is light or dark as the reader's screen is.

Dates, durations and times of day are left out. The columns are kept in memory, as by describe.
` + fileHelp

func newReportCmd(s streams) *cobra.Command {
	o := &reportOptions{}
	var in inputFlags
	cmd := &cobra.Command{
		Use:     "report FILE... -o report.html",
		Short:   "A page with tables and pictures of a file",
		Long:    "A page with tables and pictures of a file.\n\n" + reportHelp,
		Example: "  ogive report weather.csv -o report.html\n  ogive report latency.csv -c ms --by region --log -o latency.html",
		GroupID: groupOther,
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.path, "output", "o", "", "file to write, complete or not at all (default standard output)")
	flags.StringVar(&o.title, "title", "", "heading of the page (default: the name of FILE)")
	flags.BoolVar(&o.log, "log", false, "logarithmic axes of values, which must be positive")
	groupFlags(cmd, &o.by, &o.sorted)
	weightsFlag(cmd, &o.weights, valueWeights)
	in.register(cmd)
	o.work.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err = o.take(cmd, args, &in); err != nil {
			return err
		}
		if err = o.work.onHost("reports"); err != nil {
			return err
		}
		ending := strings.ToLower(filepath.Ext(o.path))
		switch {
		case isStdout(o.path) && s.outTTY:
			return usageError("-o report.html", "a report is a page of HTML, and standard output is a terminal")
		case !isStdout(o.path) && ending != ".html" && ending != ".htm":
			return usageError("-o report.html", "a report is a page of HTML, and %s ends otherwise", o.path)
		}
		o.methods, o.most, o.whole = []rank.Method{rank.InvertedCDF, rank.Linear}, mostSections*mostCurves, true
		return o.run(cmd.Context(), s)
	}
	return cmd
}

// run makes the report.
func (o *reportOptions) run(ctx context.Context, s streams) error {
	files, err := newOpener(ctx, s, o.work)
	if err != nil {
		return err
	}
	if o.files, err = expand(o.files); err != nil {
		return err
	}
	work := o.work
	o.work.quiet = true // describe tells of the columns
	all, list, err := files.samples(s, &o.sampleOptions)
	defer closeAll(list)
	if err != nil {
		return err
	}
	if err := all.drawable(o.log); err != nil {
		return err
	}
	page := &plot.Page{Title: filepath.Base(all.title)}
	if o.title != "" {
		page.Title = o.title
	}
	if page.Sections, err = all.sections(o.log); err != nil {
		return err
	}
	if err := all.shares(page.Sections); err != nil {
		return err
	}
	page.About = all.about()
	all.in.notes = nil
	lines, err := describe(ctx, s, work, all.in, nil, all.group)
	if err != nil {
		return err
	}
	page.Labels = lines.labels
	page.Header, page.Rows = withoutZeros(lines, "-inf", "+inf")
	return s.writeFile(ctx, o.path, page.Write)
}

// withoutZeros returns records without those of the named columns that are zero throughout.
func withoutZeros(list *records, names ...string) (header []string, rows [][]string) {
	for row := range list.rows {
		rows = append(rows, slices.Clone(row))
	}
	header = slices.Clone(list.names)
	for _, name := range names {
		i := slices.Index(header, name)
		if i < list.labels || slices.ContainsFunc(rows, func(row []string) bool { return row[i] != "0" }) {
			continue
		}
		header = slices.Delete(header, i, i+1)
		for k := range rows {
			rows[k] = slices.Delete(rows[k], i, i+1)
		}
	}
	return header, rows
}

// sections are the samples by column.
func (s *samples) sections(log bool) (list []plot.Section, err error) {
	place := map[string]int{}
	for i, k := range s.keys {
		at, known := place[k.column]
		if !known {
			at = len(list)
			place[k.column] = at
			list = append(list, plot.Section{Name: k.column, Log: log})
		}
		section := &list[at]
		discrete, linear := s.lists[0][i], s.lists[1][i]
		discrete.Name = strings.Join(slices.DeleteFunc([]string{k.file, k.group}, func(t string) bool { return t == "" }), " · ")
		linear.Name = discrete.Name
		section.Discrete, section.Linear = append(section.Discrete, discrete), append(section.Linear, linear)
		if n := len(section.Linear); n > mostCurves {
			return nil, usageError("choose fewer", "more than %d groups or FILEs are too many to tell apart", mostCurves)
		}
	}
	if len(list) > mostSections {
		return nil, tooMany(len(list), "columns", mostSections)
	}
	return list, nil
}

// shares counts of which share of the values of each sample are at most those that the
// pointer of its section finds.
func (s *samples) shares(sections []plot.Section) error {
	place := map[string]int{} // of a column among the sections
	for i := range sections {
		sections[i].At = sections[i].Places()
		place[sections[i].Name] = i
	}
	for i := range s.in.list {
		o := &s.in.list[i]
		section := &sections[place[o.name]]
		groups, of := groupsOf(s.group)
		counts := make([][]float64, groups) // by group, of the values up to each place, and above all
		for k := range counts {
			counts[k] = make([]float64, len(section.At)+1)
		}
		gone := o.gone()
		err := eachBlock(context.Background(), o.x, func(from int, values []float64) {
			for k, v := range values {
				if v == v && (gone == nil || !gone[from+k]) {
					at, _ := slices.BinarySearch(section.At, v)
					counts[of(from+k)][at] += o.weights.number(from + k)
				}
			}
		})
		if err != nil {
			return err
		}
		if s.group == nil {
			section.Shares = append(section.Shares, cumulated(counts[0]))
			continue
		}
		for _, group := range s.group.order {
			section.Shares = append(section.Shares, cumulated(counts[group]))
		}
	}
	return nil
}

// cumulated returns the share of all counts up to each but the last; nil of none.
func cumulated(counts []float64) (shares []float64) {
	all, sum := 0.0, 0.0
	for _, n := range counts {
		all += n
	}
	if all == 0 {
		return nil
	}
	for _, n := range counts[:len(counts)-1] {
		sum += n
		shares = append(shares, sum/all)
	}
	return shares
}

// about are facts for the head of the page.
func (s *samples) about() (facts []string) {
	x := s.in.list[0].x
	switch {
	case s.in.table && s.in.list[0].file == "":
		facts = append(facts, strconv.Itoa(x.Len())+" "+plural(x.Len(), "row"))
	case !s.in.table && len(s.in.list) == 1:
		facts = append(facts, "shape "+shapeText(x.Shape()), x.DType().String())
	}
	if s.in.table {
		columns := map[string]bool{}
		for _, k := range s.keys {
			columns[k.column] = true
		}
		facts = append(facts, strconv.Itoa(len(columns))+" "+plural(len(columns), "column")+" of numbers")
	}
	if s.group != nil {
		n := len(s.group.order)
		facts = append(facts, strconv.Itoa(n)+" "+plural(n, "group")+" by "+strings.Join(s.group.names, ", "))
	}
	return facts
}
