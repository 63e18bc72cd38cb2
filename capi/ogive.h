/*
 * ogive.h: exact order statistics and element tests of N-dimensional arrays.
 *
 * Everything is done by one function, ogive_run, for what a struct ogive_call asks for:
 *
 *     double data[6] = {3, 1, 2, 9, 7, 8}, answer[2];
 *     int64_t shape[2] = {2, 3}, axis = 1, answer_shape[OGIVE_MAX_DIMS];
 *     DLTensor x = {data, {kDLCPU, 0}, 2, {kDLFloat, 64, 1}, shape, NULL, 0};
 *     ogive_result y = {.tensor = {.data = answer, .shape = answer_shape}, .room = sizeof answer};
 *     ogive_call c = OGIVE_CALL;
 *     c.op = OGIVE_MEDIAN;
 *     c.x = &x;
 *     c.axes = &axis, c.n_axes = 1;
 *     c.results = &y;
 *     int status = ogive_run(&c);          // OGIVE_OK, and 2, 8 in answer
 *
 * What each operation answers, to the last bit, is told in the documentation of the Go
 * package github.com/ogive-go/ogive. Here stands what is of C.
 *
 * Memory. All of it is the caller's: inputs, results, texts. Nothing that a call points to
 * is looked at after the call has returned, but for what is said at OGIVE_PREPARE.
 *
 * Threads. Any thread may call at any time. A call works on as many threads as `workers`
 * says, the calling one among them. Inputs may be read by others meanwhile; if they are
 * written, the answer is anything, but the call ends and reads nothing else.
 *
 * Processes. The library holds Go's runtime, which does not survive a fork: in a child that
 * was forked after the library was loaded, no function may be called.
 *
 * Errors. Every error is raised before any work is done and before results are touched; the
 * exceptions are OGIVE_CANCELLED, OGIVE_FAULT and OGIVE_PANIC, which come late and leave
 * results unspecified.
 */
#ifndef OGIVE_H
#define OGIVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It changes where a program that was compiled against
 * another version would go wrong; new fields at the end of ogive_call, new verbs and new
 * operations do not change it. Compare with ogive_abi(). */
#define OGIVE_ABI 1

/* The most dimensions of an array, results included. */
#define OGIVE_MAX_DIMS 16

/* ---- Arrays: DLPack's DLTensor (https://github.com/dmlc/dlpack, version 1) ----
 *
 * Include dlpack.h before this file to use its own declarations.
 *
 *   data, byte_offset  where the first element is; aligned as its type is in C. May be NULL
 *                      where there are no elements.
 *   device             kDLCPU or kDLCUDAHost. Memory of another device is OGIVE_DEVICE: copy it.
 *   ndim, shape        0 to OGIVE_MAX_DIMS dimensions; shape may be NULL without any.
 *   dtype              lanes is 1. bool (8 bits, each byte 0 or 1), int and uint (8, 16, 32,
 *                      64), float (16, 32, 64), bfloat (16), complex (64, 128), in the
 *                      machine's byte order.
 *   strides            in elements, of any sign, 0 too; NULL for C order.
 */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#define OGIVE_DECLARES_DLTENSOR

enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3 };
enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLComplex = 5, kDLBool = 6 };

typedef struct {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} DLTensor;
#endif

/* A result: where it goes, and what it is.
 *
 * given = 0: the library tells what the result is. It sets tensor.dtype, ndim and strides
 * (NULL: C order) and writes the shape to tensor.shape, which must have room for
 * OGIVE_MAX_DIMS numbers. If `room`, the bytes at tensor.data, suffices, it writes the
 * elements there, and the call is OGIVE_OK. Otherwise nothing is computed and the call is
 * OGIVE_ROOM: get memory, and call again. With room 0 one asks for shape and dtype alone.
 *
 * given = 1: tensor is complete. It must have the result's shape; its dtype must be the
 * result's, or another float type if the result is of one, else OGIVE_OUT. It may have any
 * strides but 0, and overlap inputs: the answer is as if it did not.
 */
typedef struct {
  DLTensor tensor;
  int64_t room;
  int32_t given;
  int32_t reserved; /* 0 */
} ogive_result;

/* What ogive_run returns. The text at ogive_call.message says which value was wrong. */
enum ogive_status {
  OGIVE_OK = 0,
  OGIVE_AXIS = 1,       /* an axis is out of range or given twice, or the list is empty */
  OGIVE_Q = 2,          /* a quantile is outside its range or NaN, or there is none */
  OGIVE_METHOD = 3,     /* the method is unknown, or the operation needs another kind */
  OGIVE_OPTION = 4,     /* a field is set that the operation does not take, or has no such value */
  OGIVE_DTYPE = 5,      /* the operation is not defined for the dtype */
  OGIVE_SHAPE = 6,      /* a shape is impossible or does not fit, or a tensor is missing */
  OGIVE_EMPTY = 7,      /* a slice without elements has no quantile */
  OGIVE_OUT = 8,        /* a result that is given does not fit */
  OGIVE_WEIGHTS = 9,    /* a weight is negative or not finite, or their sum or shape does not do */
  OGIVE_DEVICE = 10,    /* a tensor lies on a device */
  OGIVE_FORMAT = 11,    /* bytes that are no state's */
  OGIVE_ARGUMENT = 12,  /* a pointer is NULL or not aligned, a handle unknown, a struct of another version */
  OGIVE_CANCELLED = 13, /* *cancel was set */
  OGIVE_FAULT = 14,     /* memory of a tensor could not be read: a mapped file was cut short */
  OGIVE_PANIC = 15,     /* the library is at fault; the process may go on */
  OGIVE_ROOM = 16       /* no error: a result needs more room than it was given */
};

/* The operations. */
enum ogive_op {
  OGIVE_QUANTILE = 1,       /* q; method, axes, KEEPDIMS, weights, OVERWRITE */
  OGIVE_NANQUANTILE = 2,    /* the same without NaNs */
  OGIVE_PERCENTILE = 3,     /* q in hundredths, no fractions */
  OGIVE_NANPERCENTILE = 4,
  OGIVE_MEDIAN = 5,         /* no q; mode in place of method */
  OGIVE_NANMEDIAN = 6,
  OGIVE_ARGQUANTILE = 7,    /* the int64 position of an element, by a method that chooses one */
  OGIVE_NANARGQUANTILE = 8,
  OGIVE_ISPOSINF = 9,       /* bool, of x's shape; no parameters */
  OGIVE_ISNEGINF = 10,
  OGIVE_ISINF = 11,
  OGIVE_ISNAN = 12,
  OGIVE_ISFINITE = 13,
  OGIVE_SIGNBIT = 14,
  OGIVE_ISREAL = 15,
  OGIVE_ISIN = 16           /* test; kind, INVERT, ASSUME_UNIQUE, EQUAL_NAN */
};

/* What is done with an operation; in brackets the results, in their order. A handle is a
 * number that is never used twice: an old one is OGIVE_ARGUMENT, not a crash. */
enum ogive_verb {
  OGIVE_VALUE = 0,    /* [value], of x. With window: of the windows of that many elements that
                         follow each other along the axis. With keys: [groups, values]: the
                         different keys, ascending, and the value of each */
  OGIVE_INDEX = 1,    /* [value, int64 index] of a median; mode lower unless it is given */
  OGIVE_GRADIENT = 2, /* [dx], x's dtype and shape, of a float x: the gradient by x for the gradient
                         `upstream` by the value; of a median with BY_INDEX that of its element */
  OGIVE_SLOPE = 3,    /* [float64 derivative by q] of a quantile */
  OGIVE_ENDS = 4,     /* [lo, hi, float64 g]: the elements a and b that the value a + g (b - a) lies
                         between; of a lane that has no answer unspecified where x is integer */

  OGIVE_PREPARE = 5,  /* sets handle to a plan for inputs of x's dtype and shape (x needs no data;
                         shape[0] may be -1: any length) and describes [value], if results is not
                         NULL, with -1 for a length that is free. Every error of the parameters is
                         raised here. Weights and test are copied; nothing else is kept */
  OGIVE_RUN = 6,      /* [value] of x, or [value, index] with the flag WITH_INDEX, by the plan `handle`.
                         Only x, results, cancel, progress and message are looked at */

  OGIVE_STATE = 7,    /* sets handle to a state of the operation (quantile to nanmedian) for data of
                         x's dtype that come in chunks, of `budget` bytes of memory. x's shape is
                         that of the answers: none for one; otherwise each has a state of its own */
  OGIVE_ADD = 8,      /* adds the chunk x (and weights of its shape) to the state `handle`: of any shape
                         for a single answer, else the last dimensions are those of the answers */
  OGIVE_MERGE = 9,    /* adds what the state `other` has seen to `handle` */
  OGIVE_NEXT = 10,    /* ends the pass of `handle`. number[0] is 1 if all data must be added again */
  OGIVE_ANSWER = 11,  /* [value] of `handle`, once NEXT has set number[0] to 0 */
  OGIVE_FORK = 12,    /* sets other to a state of the same pass as `handle` that has seen nothing */
  OGIVE_SAVE = 13,    /* [uint8 bytes] of `handle`, the same on every machine */
  OGIVE_LOAD = 14,    /* sets handle to the state whose bytes x holds */
  OGIVE_LOOK = 15,    /* number[0 to 3] of `handle`: the pass, the most passes there can be, the values
                         that this pass has seen, the bytes they take */

  OGIVE_RELEASE = 16  /* ends the plan or state `handle` */
};

/* The methods. ogive_call.method is one of these, or OGIVE_DEFAULT. */
enum ogive_method {
  OGIVE_LINEAR = 0,
  OGIVE_LOWER = 1,
  OGIVE_HIGHER = 2,
  OGIVE_NEAREST = 3,
  OGIVE_NEAREST_DOWN = 4,
  OGIVE_MIDPOINT = 5,
  OGIVE_INVERTED_CDF = 6,
  OGIVE_AVERAGED_INVERTED_CDF = 7,
  OGIVE_CLOSEST_OBSERVATION = 8,
  OGIVE_INTERPOLATED_INVERTED_CDF = 9,
  OGIVE_HAZEN = 10,
  OGIVE_WEIBULL = 11,
  OGIVE_MEDIAN_UNBIASED = 12,
  OGIVE_NORMAL_UNBIASED = 13
};

/* The median of an even number of values. */
enum ogive_mode { OGIVE_AVG = 0, OGIVE_MODE_LOWER = 1, OGIVE_MODE_UPPER = 2 };

/* How isin looks values up; the answer is the same. */
enum ogive_kind { OGIVE_AUTO = 0, OGIVE_SORT = 1, OGIVE_TABLE = 2, OGIVE_HASH = 3 };

enum { OGIVE_DEFAULT = -1, OGIVE_SCALAR = -1 };

enum ogive_flag {
  OGIVE_KEEPDIMS = 1,      /* reduced dimensions stay, with length 1 */
  OGIVE_OVERWRITE = 2,     /* x may be reordered; without effect where cancel is set */
  OGIVE_INVERT = 4,        /* isin: negated */
  OGIVE_ASSUME_UNIQUE = 8, /* isin: neither side repeats a value; a hint */
  OGIVE_EQUAL_NAN = 16,    /* isin: all NaNs are equal */
  OGIVE_BY_INDEX = 32,     /* GRADIENT of a median: to the element at its index */
  OGIVE_WITH_INDEX = 64    /* RUN: the indices too */
};

/* How far a call is, in elements read: total may grow. Written while the call runs, to be
 * read at any time. */
typedef struct {
  int64_t total, done;
} ogive_progress;

/* A call. Set it to OGIVE_CALL first, then the fields that are meant. Pointers that are NULL
 * and numbers as OGIVE_CALL has them mean that nothing is asked; a field that an operation
 * does not take is OGIVE_OPTION. */
typedef struct {
  uint32_t size; /* sizeof(ogive_call), by which the library knows the fields there are */
  uint32_t verb; /* enum ogive_verb */
  uint32_t op;   /* enum ogive_op */
  uint32_t flags;
  int32_t method;  /* enum ogive_method or OGIVE_DEFAULT: linear, lower for argquantile */
  int32_t mode;    /* enum ogive_mode or OGIVE_DEFAULT: avg, lower with an index */
  int32_t kind;    /* enum ogive_kind */
  int32_t workers; /* the most threads; 0 for as many as the machine has */

  const int64_t *axes; /* to reduce, negative ones counted from the end; NULL for all */
  int64_t n_axes;
  const double *q; /* n_q quantiles, which make a leading dimension; OGIVE_SCALAR: one, which makes none */
  int64_t n_q;
  const int64_t *num, *den; /* NULL, or as many numbers as q: where den[i] is not 0 quantile i is the
                               exact fraction num[i]/den[i], and q[i] is not looked at; q may be NULL */
  int64_t window;           /* elements of a window; 0 for none */
  int64_t min_count;        /* values that a window must hold for an answer: an element for each of x's */
  int64_t budget;           /* STATE: bytes */

  const DLTensor *x;
  const DLTensor *weights;  /* of x's shape, or of x's shape along the axes in the order given */
  const DLTensor *keys;     /* of groups: integer or bool, one dimension, x's length along the axis */
  const DLTensor *test;     /* isin: the values that are looked for */
  const DLTensor *upstream; /* GRADIENT: of the value's dtype and shape */
  ogive_result *results;    /* as many as the verb has */

  uint64_t handle, other; /* plans and states */
  int64_t number[4];      /* of NEXT and LOOK */

  const int32_t *cancel;    /* the call ends soon after another thread sets *cancel to non-zero */
  ogive_progress *progress; /* counted up from what it holds */
  char *message;            /* room for the text of an error, UTF-8, cut to fit and ended by a 0 */
  int64_t message_room;     /* bytes at message */
} ogive_call;

#define OGIVE_CALL {sizeof(ogive_call), 0, 0, 0, OGIVE_DEFAULT, OGIVE_DEFAULT, 0, 0, 0, 0, 0, OGIVE_SCALAR}

#ifndef OGIVE_TYPES_ALONE
/* Does what c asks for and returns an enum ogive_status. c itself is written to where a
 * verb sets handle, other or number. */
int ogive_run(ogive_call *c);

/* OGIVE_ABI of the library. A program that finds another number than that of its header
 * must not call ogive_run. */
int ogive_abi(void);

/* The version of the library, such as "v0.3.0" or "(devel)"; it stays valid. */
const char *ogive_version(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
