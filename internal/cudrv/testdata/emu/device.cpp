// Starting, devices, contexts, errors; and what the tests ask the emulator.
#include "emu.h"

#include <cstdlib>
#include <cstring>

std::mutex lock;
bool initialized;

static std::map<std::string, long> calls;
static std::vector<std::string> complaints;
static std::map<int, Context> primary;
static long pushed; // contexts on all threads' stacks
static thread_local std::vector<Context *> stack;

long setting(const char *name, long otherwise) {
	const char *text = getenv(name);
	return text ? atol(text) : otherwise;
}

void count(const char *function) { calls[function]++; }
void complain(const std::string &what) { complaints.push_back(what); }
Context *current() { return stack.empty() ? nullptr : stack.back(); }

static int devices() { return setting("OGIVE_EMU_DEVICES", 2); }

EXPORT long emuCalls(const char *function) {
	std::lock_guard<std::mutex> guard(lock);
	return calls[function];
}

EXPORT long emuPushed() {
	std::lock_guard<std::mutex> guard(lock);
	return pushed;
}

// emuComplaint copies complaint number i and returns its length, or -1.
EXPORT long emuComplaint(long i, char *text, size_t size) {
	std::lock_guard<std::mutex> guard(lock);
	if (i >= (long)complaints.size()) return -1;
	strncpy(text, complaints[i].c_str(), size);
	return complaints[i].size();
}

EXPORT Result cuDriverGetVersion(int *version) {
	ENTER
	*version = setting("OGIVE_EMU_VERSION", 12040);
	return SUCCESS;
}

EXPORT Result cuInit(unsigned flags) {
	ENTER
	if (flags) return INVALID_VALUE;
	Result r = setting("OGIVE_EMU_INIT", SUCCESS);
	initialized = r == SUCCESS;
	return r;
}

static const std::map<Result, std::pair<const char *, const char *>> texts = {
	{INVALID_VALUE, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
	{OUT_OF_MEMORY, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
	{NOT_INITIALIZED, {"CUDA_ERROR_NOT_INITIALIZED", "initialization error"}},
	{STUB_LIBRARY, {"CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"}},
	{NO_DEVICE, {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}},
	{INVALID_DEVICE, {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
	{INVALID_CONTEXT, {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
	{INVALID_PTX, {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}},
	{UNSUPPORTED_PTX_VERSION, {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."}},
	{INVALID_HANDLE, {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"}},
	{NOT_FOUND, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
	{ILLEGAL_ADDRESS, {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"}},
};

EXPORT Result cuGetErrorName(Result r, const char **text) {
	ENTER
	auto it = texts.find(r);
	*text = it == texts.end() ? nullptr : it->second.first;
	return *text ? SUCCESS : INVALID_VALUE;
}

EXPORT Result cuGetErrorString(Result r, const char **text) {
	ENTER
	auto it = texts.find(r);
	*text = it == texts.end() ? nullptr : it->second.second;
	return *text ? SUCCESS : INVALID_VALUE;
}

EXPORT Result cuDeviceGetCount(int *n) {
	INITIALIZED
	*n = devices();
	return SUCCESS;
}

EXPORT Result cuDeviceGet(int *device, int i) {
	INITIALIZED
	if (i < 0 || i >= devices()) return INVALID_DEVICE;
	*device = i;
	return SUCCESS;
}

EXPORT Result cuDeviceGetName(char *name, int size, int device) {
	INITIALIZED
	strncpy(name, ("Emulated " + std::to_string(device)).c_str(), size);
	return SUCCESS;
}

EXPORT Result cuDeviceGetUuid(unsigned char *uuid, int device) {
	INITIALIZED
	memset(uuid, 0xE0 + device, 16);
	return SUCCESS;
}

#ifndef EMU_OLD // a driver before 11.4
EXPORT Result cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
	INITIALIZED
	memset(uuid, 0xF0 + device, 16);
	return SUCCESS;
}
#endif

EXPORT Result cuDeviceTotalMem_v2(uint64_t *bytes, int device) {
	INITIALIZED
	*bytes = setting("OGIVE_EMU_MEMORY", 1 << 30);
	return SUCCESS;
}

EXPORT Result cuDeviceGetAttribute(int *value, int attribute, int device) {
	INITIALIZED
	int arch = setting("OGIVE_EMU_ARCH", 90);
	switch (attribute) {
	case 16: *value = 132; return SUCCESS;
	case 75: *value = arch / 10; return SUCCESS;
	case 76: *value = arch % 10; return SUCCESS;
	case 97: *value = 227 << 10; return SUCCESS;
	}
	complain("attribute " + std::to_string(attribute));
	return INVALID_VALUE;
}

EXPORT Result cuDevicePrimaryCtxRetain(Context **context, int device) {
	INITIALIZED
	if (device < 0 || device >= devices()) return INVALID_DEVICE;
	Context *c = &primary[device];
	c->device = device;
	c->retained++;
	*context = c;
	return SUCCESS;
}

// A context that goes while something of it is left is a leak of the binding.
EXPORT Result cuDevicePrimaryCtxRelease_v2(int device) {
	INITIALIZED
	Context *c = &primary[device];
	if (c->retained == 0) return INVALID_CONTEXT;
	if (--c->retained > 0) return SUCCESS;
	if (!c->lost) {
		if (!c->blocks.empty()) complain(std::to_string(c->blocks.size()) + " blocks of memory left");
		if (!c->streams.empty()) complain("streams left");
		if (!c->events.empty()) complain("events left");
		if (!c->modules.empty()) complain("modules left");
		if (!c->pinned.empty()) complain("pinned memory left");
	}
	return SUCCESS;
}

EXPORT Result cuCtxPushCurrent_v2(Context *c) {
	INITIALIZED
	if (!c || !c->retained) {
		complain("push of a context that nobody holds");
		return INVALID_CONTEXT;
	}
	stack.push_back(c);
	pushed++;
	return SUCCESS;
}

EXPORT Result cuCtxPopCurrent_v2(Context **c) {
	INITIALIZED
	if (stack.empty()) {
		complain("pop on a thread that has no context");
		return INVALID_CONTEXT;
	}
	*c = stack.back();
	stack.pop_back();
	pushed--;
	return SUCCESS;
}

EXPORT Result cuCtxSynchronize() {
	IN_CONTEXT
	return finishAll(c);
}
