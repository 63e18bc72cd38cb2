package tensorio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/ogive-go/ogive"
	"github.com/ogive-go/ogive/internal/errs"
)

// npyEnding is that of the arrays in an npz archive; names come without it.
const npyEnding = ".npy"

// readNPZ reads the directory of an npz archive. Members that are not npy
// files are left out, as numpy.load gives no arrays for them.
func readNPZ(s *source, o Options) (*File, error) {
	data, err := s.all()
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, errEmpty()
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // nothing is extracted, so any name will do
		return nil, &errs.Error{Kind: errs.ErrFormat, Detail: "the archive's directory", Cause: shown(err)}
	}
	f := &File{name: s.name}
	var members []*zip.File
	seen := map[string]bool{}
	for _, m := range z.File {
		name, ok := strings.CutSuffix(m.Name, npyEnding)
		if !ok {
			continue
		}
		if seen[name] {
			return nil, malformed("array %q is in the archive twice", name)
		}
		seen[name] = true
		f.names = append(f.names, name)
		members = append(members, m)
	}
	f.load = func(i int) (*ogive.Tensor, error) {
		t, err := readMember(s, members[i], o.Memory)
		runtime.KeepAlive(s)
		return t, in(Message("array %q", f.names[i]), err)
	}
	return f, nil
}

// encrypted is the flag of a member that needs a password.
const encrypted = 1

// maxDeflate bounds how much deflate can expand: a block of 258-byte matches
// takes 2 bits for each.
const maxDeflate = 1032

// readMember reads one array. A stored member whose elements are aligned in a
// mapped file stays mapped, and its checksum is not verified: that would read
// all of it. Any other member is read and verified.
func readMember(s *source, m *zip.File, most int64) (*ogive.Tensor, error) {
	size, file := m.UncompressedSize64, uint64(len(s.data))
	switch {
	case m.Flags&encrypted != 0:
		return nil, malformed("is encrypted")
	case m.CompressedSize64 > file:
		return nil, malformed("claims %d bytes of the archive, which has %d", m.CompressedSize64, file)
	case m.Method == zip.Store && size != m.CompressedSize64:
		return nil, malformed("is stored, but its sizes differ: %d and %d bytes", m.CompressedSize64, size)
	case m.Method == zip.Deflate && size/maxDeflate > m.CompressedSize64:
		return nil, malformed("claims %d bytes, more than %d compressed bytes can hold", size, m.CompressedSize64)
	case size > uint64(maxInt):
		return nil, malformed("%d bytes are more than this platform can address", size)
	}
	if m.Method == zip.Store && s.owner != nil {
		if t, err := mappedMember(s, m); t != nil || err != nil {
			return t, err
		}
	}
	if err := TooLarge(int64(size), most); err != nil {
		return nil, err
	}
	if at, err := m.DataOffset(); err != nil || at < 0 || uint64(at) > file-m.CompressedSize64 {
		return nil, outside(m, at, err)
	}
	r, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	l, err := npyLayout(r, -1, Options{})
	if err == nil {
		err = l.fits(int64(size))
	}
	if err != nil {
		return nil, err
	}
	b, err := readAligned(r, l.size(), int64(size)-l.start) // the size that was checked, once
	if err != nil {
		return nil, in(fmt.Sprintf("byte %d", l.start+int64(len(b))), err)
	}
	if len(b) < l.size() {
		return nil, l.truncated(int64(len(b)))
	}
	if _, err := io.ReadFull(r, make([]byte, 1)); err == nil {
		return nil, l.trailing()
	} else if err != io.EOF { // the checksum
		return nil, err
	}
	return l.tensor(b, nil, true)
}

// outside is the error of a member that does not lie in the archive where the directory
// says; err is that of finding it.
func outside(m *zip.File, at int64, err error) error {
	if err == nil {
		return malformed("its %d bytes from byte %d reach beyond the file", m.CompressedSize64, at)
	}
	return &errs.Error{Kind: errs.ErrFormat, Detail: "is not where the directory says", Cause: shown(err)}
}

// mappedMember returns a stored array as a view of the mapped file, nil if it
// does not lie as the machine needs it.
func mappedMember(s *source, m *zip.File) (*ogive.Tensor, error) {
	at, err := m.DataOffset()
	size := int64(m.UncompressedSize64)
	if err != nil || at < 0 || at > int64(len(s.data))-size {
		return nil, outside(m, at, err)
	}
	b := s.data[at : at+size]
	l, err := npyLayout(&sliceReader{b}, size, Options{})
	if err == nil {
		err = l.fits(size)
	}
	if err != nil {
		return nil, err
	}
	if l.swap || !l.aligned(b[l.start:]) {
		return nil, nil
	}
	return l.tensor(b[l.start:], s.owner, false)
}

// writeNPZ writes an archive of one array.
func writeNPZ(w io.Writer, t *ogive.Tensor) error {
	return WriteNPZ(w, []string{"arr_0"}, []*ogive.Tensor{t})
}

// WriteNPZ writes an uncompressed npz archive of the tensors, each under its
// name (without .npy). The elements of each begin at a multiple of 64 bytes,
// so that reading can map them. Another number of names than of tensors, an
// empty or a repeated name is ErrOption; a nil tensor is ErrShape.
func WriteNPZ(w io.Writer, names []string, ts []*ogive.Tensor) error {
	if len(names) != len(ts) {
		return misused("%d names for %d tensors", len(names), len(ts))
	}
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" || seen[name] {
			return misused("name %d, %q, is empty or repeated", i, name)
		}
		seen[name] = true
		if _, err := hostArray(ts[i]); err != nil {
			return in(Message("array %q", name), err)
		}
	}
	count := &counter{w: w}
	z := zip.NewWriter(count)
	for i, name := range names {
		if err := z.Flush(); err != nil {
			return err
		}
		member, err := z.CreateHeader(&zip.FileHeader{
			Name:   name + npyEnding,
			Method: zip.Store,
			Extra:  padding(count.n + localHeader + int64(len(name)+len(npyEnding))),
		})
		if err != nil {
			return err
		}
		if err := WriteNPY(member, ts[i]); err != nil {
			return err
		}
	}
	return z.Close()
}

// localHeader is the size of the zip header in front of a member, without the
// name and the extra field.
const localHeader = 30

// padding returns an extra field that ends at a multiple of 64 bytes if it
// begins at byte at: the alignment field of Android's zipalign, whose content
// is the alignment and zeros.
func padding(at int64) []byte {
	const fixed = 6
	zeros := int((64 - (at+fixed)%64) % 64)
	extra := make([]byte, fixed+zeros)
	copy(extra, []byte{0x35, 0xD9, byte(2 + zeros), 0, 64, 0})
	return extra
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
