// An emulated libcuda, to test the binding without a device. Device memory is host
// memory behind addresses that the host cannot use. Work on a stream is done as late as
// the API allows, at the call that waits for it, so that a buffer which is reused too
// early gives wrong results. What a driver would let pass or punish at random, such as a
// context that is not current, is noted as a complaint.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

typedef uint32_t Result;
typedef uint64_t Address;

enum : Result {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	NOT_INITIALIZED = 3,
	STUB_LIBRARY = 34,
	NO_DEVICE = 100,
	INVALID_DEVICE = 101,
	INVALID_CONTEXT = 201,
	INVALID_PTX = 218,
	UNSUPPORTED_PTX_VERSION = 222,
	INVALID_HANDLE = 400,
	NOT_FOUND = 500,
	ILLEGAL_ADDRESS = 700,
};

struct Block {
	std::vector<unsigned char> bytes;
};

struct Context {
	int device = 0;
	int retained = 0;
	Result lost = SUCCESS; // what every call returns from now on
	std::map<Address, Block> blocks;
	uint64_t used = 0;
	std::set<struct Stream *> streams;
	std::set<struct Event *> events;
	std::set<struct Module *> modules;
	std::map<unsigned char *, size_t> pinned;
};

struct Stream {
	Context *context;
	std::deque<std::function<Result()>> work;
};

struct Event {
	Context *context;
	Stream *stream = nullptr; // on which it was recorded last
	uint64_t recorded = 0, reached = 0;
};

struct Function {
	struct Module *module;
	std::string name;
	std::vector<size_t> params; // sizes
	unsigned maxShared = 48 << 10;
};

struct Module {
	Context *context;
	std::map<std::string, Function> functions;
};

// Shape is the shape of a launch.
struct Shape {
	unsigned grid[3], block, shared;
};

extern std::mutex lock;           // held by every exported function
extern bool initialized;
long setting(const char *name, long otherwise); // of the environment
void count(const char *function);
void complain(const std::string &what);
Context *current(); // of the thread, or null

// find returns the host's memory of n bytes at an address, or null.
unsigned char *find(Context *c, Address a, size_t n);

// finish does the work of a stream, up to where until returns true.
Result finish(Stream *s, std::function<bool()> until);
Result finishAll(Context *c);

// ENTER begins every function, IN_CONTEXT those that work in one, which becomes c.
#define ENTER                                                                              \
	std::lock_guard<std::mutex> guard(lock);                                               \
	count(__func__);
#define INITIALIZED                                                                        \
	ENTER                                                                                  \
	if (!initialized) return NOT_INITIALIZED;
#define IN_CONTEXT                                                                         \
	INITIALIZED                                                                            \
	Context *c = current();                                                                \
	if (!c) {                                                                              \
		complain(std::string(__func__) + " without a context");                            \
		return INVALID_CONTEXT;                                                            \
	}                                                                                      \
	if (c->lost) return c->lost;

#define EXPORT extern "C" __attribute__((visibility("default")))
