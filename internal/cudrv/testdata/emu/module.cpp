// Modules and launches. Of PTX only the directives and the parameter lists are read; the
// kernels that it names are these functions.
#include "emu.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

// Arguments are the values that a launch copied.
struct Arguments {
	std::vector<std::vector<unsigned char>> values;
	template <class T> T get(size_t i) const {
		T value;
		memcpy(&value, values.at(i).data(), sizeof value);
		return value;
	}
};

typedef Result (*Kernel)(Context *, const Shape &, const Arguments &);

static Result add(Context *c, const Shape &s, const Arguments &a) {
	auto threads = (uint64_t)s.grid[0] * s.block, n = std::min(a.get<uint64_t>(1), threads);
	auto p = find(c, a.get<Address>(0), 8 * n);
	if (!p) return ILLEGAL_ADDRESS;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t v;
		memcpy(&v, p + 8 * i, 8);
		v += a.get<uint64_t>(2);
		memcpy(p + 8 * i, &v, 8);
	}
	return SUCCESS;
}

static Result mix(Context *c, const Shape &, const Arguments &a) {
	struct {
		uint64_t a, b, c, d, e;
		double f, g;
	} out = {a.get<uint8_t>(1), (uint64_t)a.get<int16_t>(2), a.get<uint32_t>(3), (uint64_t)a.get<int32_t>(4),
		a.get<uint64_t>(5), a.get<float>(6), a.get<double>(7)};
	auto p = find(c, a.get<Address>(0), sizeof out);
	if (!p) return ILLEGAL_ADDRESS;
	memcpy(p, &out, sizeof out);
	return SUCCESS;
}

static Result grid(Context *c, const Shape &s, const Arguments &a) {
	auto p = find(c, a.get<Address>(0), sizeof s);
	if (!p) return ILLEGAL_ADDRESS;
	memcpy(p, &s, sizeof s);
	return SUCCESS;
}

static Result fail(Context *, const Shape &, const Arguments &) { return ILLEGAL_ADDRESS; }

static Result words(Context *c, const Shape &, const Arguments &a) {
	auto p = find(c, a.get<Address>(0), 8 * 23);
	if (!p) return ILLEGAL_ADDRESS;
	for (int i = 1; i < 24; i++) memcpy(p + 8 * (i - 1), a.values.at(i).data(), 8);
	return SUCCESS;
}

static const std::map<std::string, Kernel> kernels = {
	{"test_add", add}, {"test_mix", mix}, {"test_grid", grid}, {"test_fail", fail}, {"test_words", words},
};

// directive returns what stands after a word at the start of a line.
static const char *directive(const char *text, const char *word) {
	std::string line = std::string("\n") + word + " ";
	const char *p = strstr(text, line.c_str());
	return p ? p + line.size() : "";
}

// sizeOf returns the bytes of a type such as .u64.
static size_t sizeOf(const char *type) {
	while (*type && !(*type >= '0' && *type <= '9')) type++;
	return atoi(type) / 8;
}

// refuse writes the compiler's log where the options say, as a driver does: no more
// than its size, with a zero at the end.
static void refuse(const char *log, unsigned n, const int *options, void **values) {
	char *buffer = nullptr;
	size_t size = 0;
	for (unsigned i = 0; i < n; i++) {
		if (options[i] == 5) buffer = (char *)values[i];
		if (options[i] == 6) size = (size_t)values[i];
	}
	if (buffer && size) {
		strncpy(buffer, log, size - 1);
		buffer[size - 1] = 0;
	}
}

EXPORT Result cuModuleLoadDataEx(Module **m, const char *image, unsigned n, int *options, void **values) {
	IN_CONTEXT
	int major = atoi(directive(image, ".version")), minor = 0;
	if (const char *dot = strchr(directive(image, ".version"), '.')) minor = atoi(dot + 1);
	if (10 * major + minor > setting("OGIVE_EMU_PTX", 84)) return UNSUPPORTED_PTX_VERSION;
	if (major == 0 || !strstr(image, ".entry ")) { // this compiler knows no other fault
		refuse("ptxas application ptx input, line 4; fatal   : Parsing error near 'no': syntax error\n", n, options, values);
		return INVALID_PTX;
	}
	*m = new Module{c, {}};
	for (const char *p = image; (p = strstr(p, ".entry ")); ) {
		p += strlen(".entry ");
		const char *open = strchr(p, '('), *close = strchr(p, ')');
		Function f{*m, std::string(p, open), {}, 48 << 10};
		for (const char *q = open; (q = strstr(q, ".param ")) && q < close; q++) f.params.push_back(sizeOf(q));
		(*m)->functions.insert({f.name, f});
	}
	c->modules.insert(*m);
	return SUCCESS;
}

EXPORT Result cuModuleUnload(Module *m) {
	IN_CONTEXT
	Result r = finishAll(c);
	if (r) return r;
	if (!c->modules.erase(m)) return INVALID_HANDLE;
	delete m;
	return SUCCESS;
}

EXPORT Result cuModuleGetFunction(Function **f, Module *m, const char *name) {
	IN_CONTEXT
	if (!c->modules.count(m)) return INVALID_HANDLE;
	auto it = m->functions.find(name);
	if (it == m->functions.end()) return NOT_FOUND;
	*f = &it->second;
	return SUCCESS;
}

EXPORT Result cuFuncSetAttribute(Function *f, int attribute, int value) {
	IN_CONTEXT
	if (attribute != 8 || value < 0 || value > 227 << 10) return INVALID_VALUE;
	f->maxShared = value;
	return SUCCESS;
}

EXPORT Result cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, Stream *s, void **params, void **extra) {
	IN_CONTEXT
	if (!c->modules.count(f->module) || !c->streams.count(s)) {
		complain("launch of a kernel or on a stream of another context");
		return INVALID_HANDLE;
	}
	if (!gx || !gy || gy > 65535 || !gz || gz > 65535 || !bx || bx > 1024 || by != 1 || bz != 1 || extra || shared > f->maxShared)
		return INVALID_VALUE;
	Arguments a;
	for (size_t i = 0; i < f->params.size(); i++) {
		auto p = (unsigned char *)params[i];
		if (!p) return INVALID_VALUE;
		a.values.emplace_back(p, p + f->params[i]);
	}
	Kernel kernel = kernels.at(f->name);
	Shape shape = {{gx, gy, gz}, bx, shared};
	s->work.push_back([=] { return kernel(c, shape, a); });
	return SUCCESS;
}
