package cuda

import (
	"fmt"
	"runtime"

	"github.com/ogive-go/ogive/dtype"
	"github.com/ogive-go/ogive/internal/cudrv"
	"github.com/ogive-go/ogive/internal/engine"
	"github.com/ogive-go/ogive/internal/nd"
)

// backend is a Device as package ogive calls it.
type backend Device

func (b *backend) Alloc(dt dtype.DType, shape ...int) (nd.Array, error) {
	return (*Device)(b).array(dt, shape...)
}

func (b *backend) Upload(x *nd.Array) (nd.Array, error) {
	d := (*Device)(b)
	host := x.Contiguous()
	a, err := d.array(x.DType, x.Shape()...)
	if err != nil || a.Len() == 0 {
		return a, err
	}
	err = d.do(func(c *call) { c.err = c.s.Upload(address(&a), host.Bytes()) })
	runtime.KeepAlive(host.Buf.Owner)
	return a, err
}

func (b *backend) Download(x *nd.Array) (nd.Array, error) {
	host, err := nd.NewDirty(x.DType, x.Shape()...)
	if err != nil || x.Len() == 0 {
		return host, err
	}
	err = (*Device)(b).do(func(c *call) {
		at := c.contiguous(x)
		if c.err == nil {
			c.err = c.s.Download(host.Bytes(), at)
		}
	})
	runtime.KeepAlive(x.Buf.Owner)
	return host, err
}

// Run runs p. The arrays passed its checks.
func (b *backend) Run(p *engine.Plan, x, out, indices *nd.Array) error {
	t := p.Task()
	if t.Order != nil && t.Order.Weighted {
		return unsupported("weights")
	}
	if p.Config.Context != nil && p.Config.Context.Err() != nil {
		return p.Config.Context.Err()
	}
	err := (*Device)(b).do(func(c *call) {
		switch {
		case t.Order != nil:
			c.order(t.Order, x, out, indices)
		case t.Test.Members() != nil:
			c.member(t.Test.Members(), x, out)
		default:
			c.test(t.Test.Windows(), x, out)
		}
	})
	for _, a := range []*nd.Array{x, out, indices} {
		if a != nil {
			runtime.KeepAlive(a.Buf.Owner) // until the device is done
		}
	}
	return err
}

// contiguous returns the address of x's elements in C order: its own, or that of a
// copy.
func (c *call) contiguous(x *nd.Array) cudrv.Ptr {
	if x.IsContiguous() || x.Len() == 0 {
		return address(x)
	}
	to := c.alloc(x.Len() * x.DType.Size())
	c.pack(to, x)
	return to
}

// pack copies the elements of x to contiguous memory in C order.
func (c *call) pack(to cudrv.Ptr, x *nd.Array) {
	c.run("elements", "pack_"+widthOf(x.DType), each(x.Len(), 256), uint64(x.Len()), uint64(address(x)), uint64(c.about(x)), uint64(to))
}

// about uploads the dimensions and strides of x, for kernels.
func (c *call) about(x *nd.Array) cudrv.Ptr {
	list := []int64{int64(x.NDim())}
	for _, n := range x.Shape() {
		list = append(list, int64(n))
	}
	for _, s := range x.Strides() {
		list = append(list, int64(s))
	}
	return upload(c, list)
}

// result is where a result is written: straight into the caller's array, or into
// scratch memory of its dtype that is copied there afterwards.
type result struct {
	at    cudrv.Ptr
	dt    dtype.DType
	final *nd.Array // or nil
}

// resultIn returns where to write n elements of dtype dt that end in out, while x is
// being read.
func (c *call) resultIn(out, x *nd.Array, dt dtype.DType) result {
	if out.DType == dt && out.IsContiguous() && !nd.Overlaps(out, x) {
		return result{at: address(out), dt: dt}
	}
	return result{at: c.alloc(out.Len() * dt.Size()), dt: dt, final: out}
}

// finish moves a result where it belongs.
func (c *call) finish(r result) {
	if r.final == nil {
		return
	}
	n, at := r.final.Len(), r.at
	if r.dt != r.final.DType { // both are floats
		if r.dt != dtype.Float64 {
			wide := c.alloc(8 * n)
			c.run("blend", "widen_"+castOf[r.dt], each(n, 256), uint64(n), uint64(at), uint64(wide))
			at = wide
		}
		if to := r.final.DType; to != dtype.Float64 {
			narrow := c.alloc(n * to.Size())
			c.run("blend", "narrow_"+castOf[to], each(n, 256), uint64(n), uint64(at), uint64(narrow))
			at = narrow
		}
	}
	if r.final.IsContiguous() {
		if c.err == nil && n > 0 {
			c.err = c.s.Copy(address(r.final), at, n*r.final.DType.Size())
		}
		return
	}
	c.run("elements", "unpack_"+widthOf(r.final.DType), each(n, 256), uint64(n), uint64(at), uint64(c.about(r.final)), uint64(address(r.final)))
}

// castOf names the float formats in the kernels that convert them.
var castOf = map[dtype.DType]string{dtype.Float32: "f32", dtype.Float16: "f16", dtype.BFloat16: "bf16"}

// widthOf names the width of elements in bits.
func widthOf(dt dtype.DType) string {
	return map[int]string{1: "8", 2: "16", 4: "32", 8: "64", 16: "128"}[dt.Size()]
}

// code says how kernels make keys of elements.
type code struct {
	suffix string // of the names of modules and kernels
	word   uint64 // the sign bit of signed integers, 0 of others, +Inf of floats
	size   int    // of a key, in bytes
}

// codeOf returns the code of a dtype that has an order.
func codeOf(dt dtype.DType) code {
	c := code{suffix: "i" + widthOf(dt), size: dt.Size()}
	switch {
	case dt.IsFloat():
		c.suffix = "f" + widthOf(dt)
		c.word = infinity(dt)
	case dt.IsSigned():
		c.word = 1 << (8*dt.Size() - 1)
	}
	return c
}

// infinity returns the bits of +Inf: those of the canonical NaN without its one bit of
// the mantissa.
func infinity(dt dtype.DType) uint64 {
	nan := dtype.CanonicalNaN(dt)
	return nan &^ (nan & -nan)
}

// unsupported returns the error of what devices cannot do.
func unsupported(what string) error {
	return fmt.Errorf("%s are %w; copy the tensors to the host with ToHost", what, ErrUnsupported)
}
