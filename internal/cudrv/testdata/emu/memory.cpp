// Memory, streams and events.
#include "emu.h"

#include <cstdlib>
#include <cstring>

// Blocks lie this far apart at least: an address past the end belongs to none.
static const Address gap = 64 << 10;
static Address next = 0x700000000000;

unsigned char *find(Context *c, Address a, size_t n) {
	auto it = c->blocks.upper_bound(a);
	if (it == c->blocks.begin()) return nullptr;
	--it;
	auto &bytes = it->second.bytes;
	Address offset = a - it->first;
	if (offset > bytes.size() || n > bytes.size() - offset) return nullptr;
	return bytes.data() + offset;
}

static uint64_t total() { return setting("OGIVE_EMU_MEMORY", 1 << 30); }

EXPORT Result cuMemGetInfo_v2(uint64_t *free, uint64_t *all) {
	IN_CONTEXT
	*all = total();
	*free = total() - c->used;
	return SUCCESS;
}

EXPORT Result cuMemAlloc_v2(Address *a, size_t n) {
	IN_CONTEXT
	if (n == 0) return INVALID_VALUE;
	if (n > total() - c->used) return OUT_OF_MEMORY;
	*a = next;
	next += (n + gap + 255) / 256 * 256;
	c->blocks[*a].bytes.assign(n, 0xCD);
	c->used += n;
	return SUCCESS;
}

EXPORT Result cuMemFree_v2(Address a) {
	IN_CONTEXT
	Result r = finishAll(c);
	if (r) return r;
	auto it = c->blocks.find(a);
	if (it == c->blocks.end()) {
		complain("free of what is no block");
		return INVALID_VALUE;
	}
	c->used -= it->second.bytes.size();
	c->blocks.erase(it);
	return SUCCESS;
}

EXPORT Result cuPointerGetAttribute(uint32_t *value, int attribute, Address a) {
	IN_CONTEXT
	if (!find(c, a, 1)) return INVALID_VALUE;
	switch (attribute) {
	case 2: *value = 2; return SUCCESS;
	case 9: *value = c->device; return SUCCESS;
	}
	return INVALID_VALUE;
}

EXPORT Result cuMemHostAlloc(unsigned char **p, size_t n, unsigned flags) {
	IN_CONTEXT
	*p = (unsigned char *)malloc(n);
	memset(*p, 0xAB, n);
	c->pinned[*p] = n;
	return SUCCESS;
}

EXPORT Result cuMemFreeHost(unsigned char *p) {
	IN_CONTEXT
	if (!c->pinned.erase(p)) return INVALID_VALUE;
	for (Stream *s : c->streams)
		if (!s->work.empty()) complain("pinned memory freed before the work that uses it");
	free(p);
	return SUCCESS;
}

// pinnedRange complains about memory that is not pinned.
static bool pinnedRange(Context *c, const unsigned char *p, size_t n) {
	auto it = c->pinned.upper_bound(const_cast<unsigned char *>(p));
	if (it != c->pinned.begin() && (--it, p + n <= it->first + it->second)) return true;
	complain("asynchronous copy of memory that is not pinned");
	return false;
}

Result finish(Stream *s, std::function<bool()> until) {
	Context *c = s->context;
	while (!s->work.empty() && !until()) {
		auto step = std::move(s->work.front());
		s->work.pop_front();
		Result r = step();
		if (r && !c->lost) c->lost = r;
		if (c->lost) return c->lost;
	}
	return SUCCESS;
}

static bool never() { return false; }

Result finishAll(Context *c) {
	for (Stream *s : c->streams) {
		Result r = finish(s, never);
		if (r) return r;
	}
	return SUCCESS;
}

#define ON_STREAM                                                                          \
	IN_CONTEXT                                                                             \
	if (!c->streams.count(s)) {                                                            \
		complain(std::string(__func__) + " on what is no stream of the context");          \
		return INVALID_HANDLE;                                                             \
	}

EXPORT Result cuMemcpyHtoDAsync_v2(Address dst, const unsigned char *src, size_t n, Stream *s) {
	ON_STREAM
	if (!find(c, dst, n) || !pinnedRange(c, src, n)) return INVALID_VALUE;
	s->work.push_back([=]() -> Result {
		auto to = find(c, dst, n);
		if (!to) return ILLEGAL_ADDRESS;
		memcpy(to, src, n);
		return SUCCESS;
	});
	return SUCCESS;
}

EXPORT Result cuMemcpyDtoHAsync_v2(unsigned char *dst, Address src, size_t n, Stream *s) {
	ON_STREAM
	if (!find(c, src, n) || !pinnedRange(c, dst, n)) return INVALID_VALUE;
	s->work.push_back([=]() -> Result {
		auto from = find(c, src, n);
		if (!from) return ILLEGAL_ADDRESS;
		memcpy(dst, from, n);
		return SUCCESS;
	});
	return SUCCESS;
}

EXPORT Result cuMemcpyDtoDAsync_v2(Address dst, Address src, size_t n, Stream *s) {
	ON_STREAM
	if (!find(c, src, n) || !find(c, dst, n)) return INVALID_VALUE;
	s->work.push_back([=]() -> Result {
		auto from = find(c, src, n), to = find(c, dst, n);
		if (!from || !to) return ILLEGAL_ADDRESS;
		memmove(to, from, n);
		return SUCCESS;
	});
	return SUCCESS;
}

EXPORT Result cuMemsetD8Async(Address dst, unsigned char value, size_t n, Stream *s) {
	ON_STREAM
	if (!find(c, dst, n)) return INVALID_VALUE;
	s->work.push_back([=]() -> Result {
		auto to = find(c, dst, n);
		if (!to) return ILLEGAL_ADDRESS;
		memset(to, value, n);
		return SUCCESS;
	});
	return SUCCESS;
}

EXPORT Result cuStreamCreate(Stream **s, unsigned flags) {
	IN_CONTEXT
	if (flags != 1) complain("a stream that waits for the default stream");
	*s = new Stream{c, {}};
	c->streams.insert(*s);
	return SUCCESS;
}

EXPORT Result cuStreamSynchronize(Stream *s) {
	ON_STREAM
	return finish(s, never);
}

EXPORT Result cuStreamDestroy_v2(Stream *s) {
	ON_STREAM
	if (!s->work.empty()) complain("a stream destroyed with work on it");
	c->streams.erase(s);
	for (Event *e : c->events)
		if (e->stream == s) e->stream = nullptr;
	delete s;
	return SUCCESS;
}

EXPORT Result cuEventCreate(Event **e, unsigned flags) {
	IN_CONTEXT
	if (!(flags & 2)) complain("an event that takes the time");
	*e = new Event{c};
	c->events.insert(*e);
	return SUCCESS;
}

EXPORT Result cuEventDestroy_v2(Event *e) {
	IN_CONTEXT
	if (!c->events.erase(e)) return INVALID_HANDLE;
	delete e;
	return SUCCESS;
}

EXPORT Result cuEventRecord(Event *e, Stream *s) {
	ON_STREAM
	if (!c->events.count(e)) return INVALID_HANDLE;
	if (e->reached < e->recorded) complain("an event recorded again before it was waited for");
	e->stream = s;
	uint64_t number = ++e->recorded;
	s->work.push_back([=]() -> Result {
		e->reached = number;
		return SUCCESS;
	});
	return SUCCESS;
}

EXPORT Result cuEventSynchronize(Event *e) {
	IN_CONTEXT
	if (!c->events.count(e)) return INVALID_HANDLE;
	if (!e->stream) return SUCCESS;
	return finish(e->stream, [=] { return e->reached >= e->recorded; });
}
