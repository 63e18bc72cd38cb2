/*
 * Quantiles of a matrix, a prepared plan, and the median of data that come in chunks, in C.
 *
 *     cc quantiles.c $(pkg-config --cflags --libs ogive) -o quantiles
 */
#include <math.h>
#include <ogive.h>
#include <stdio.h>
#include <stdlib.h>

static char message[256];

/* Runs a call and ends the program with its message if it fails. */
static void run(ogive_call *c) {
  c->message = message;
  c->message_room = sizeof message;
  int status = ogive_run(c);
  if (status != OGIVE_OK) {
    fprintf(stderr, "status %d: %s\n", status, message);
    exit(1);
  }
}

static DLTensor vector(double *data, int64_t *shape) {
  DLTensor t = {data, {kDLCPU, 0}, 1, {kDLFloat, 64, 1}, shape, NULL, 0};
  return t;
}

/* The quartiles of each row of a matrix, in memory of the size that the library tells. */
static void quartiles(void) {
  float data[2][5] = {{3, 1, 2, 5, 4}, {30, 10, NAN, 50, 40}};
  int64_t shape[2] = {2, 5}, axis = 1, answer_shape[OGIVE_MAX_DIMS];
  double q[3] = {0.25, 0.5, 0.75};
  DLTensor x = {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
  ogive_result y = {.tensor = {.shape = answer_shape}};

  ogive_call c = OGIVE_CALL;
  c.op = OGIVE_NANQUANTILE;
  c.x = &x;
  c.q = q, c.n_q = 3;
  c.axes = &axis, c.n_axes = 1;
  c.results = &y;
  if (ogive_run(&c) != OGIVE_ROOM) exit(1); /* y is described */
  y.room = answer_shape[0] * answer_shape[1] * y.tensor.dtype.bits / 8;
  float *values = y.tensor.data = malloc(y.room);
  run(&c);
  for (int i = 0; i < 3; i++) printf("q = %g: %g %g\n", q[i], values[2 * i], values[2 * i + 1]);
  free(values);
}

/* An exact fraction of integers, and a result in memory that is given. */
static void fraction(void) {
  int64_t data[101], n = 101, num = 29, den = 100, answer;
  for (int i = 0; i < 101; i++) data[i] = 100 - i;
  DLTensor x = {data, {kDLCPU, 0}, 1, {kDLInt, 64, 1}, &n, NULL, 0};
  ogive_result y = {.tensor = {&answer, {kDLCPU, 0}, 0, {kDLInt, 64, 1}, NULL, NULL, 0}, .given = 1};
  ogive_call c = OGIVE_CALL;
  c.op = OGIVE_QUANTILE;
  c.method = OGIVE_LOWER;
  c.x = &x;
  c.num = &num, c.den = &den;
  c.results = &y;
  run(&c);
  printf("29/100 of 0..100: %lld\n", (long long)answer);
}

/* A plan for vectors of five, run twice. */
static void plan(void) {
  int64_t five = 5;
  double answer, data[2][5] = {{3, 1, 2, 5, 4}, {9, 8, 7, 6, 5}};
  DLTensor x = vector(NULL, &five);
  ogive_call c = OGIVE_CALL;
  c.verb = OGIVE_PREPARE;
  c.op = OGIVE_MEDIAN;
  c.x = &x;
  run(&c);
  uint64_t handle = c.handle;
  for (int i = 0; i < 2; i++) {
    DLTensor row = vector(data[i], &five);
    ogive_result y = {.tensor = {.data = &answer}, .room = sizeof answer};
    ogive_call r = OGIVE_CALL;
    r.verb = OGIVE_RUN;
    r.handle = handle;
    r.x = &row;
    r.results = &y;
    run(&r);
    printf("median of row %d: %g\n", i, answer);
  }
  c.verb = OGIVE_RELEASE;
  run(&c);
}

/* A median of a million values that come in chunks of a thousand, in 1 MiB. */
static void state(void) {
  static double chunk[1000];
  int64_t thousand = 1000;
  double answer;
  DLTensor x = vector(chunk, &thousand);
  ogive_call c = OGIVE_CALL;
  c.verb = OGIVE_STATE;
  c.op = OGIVE_MEDIAN;
  c.budget = 1 << 20;
  c.x = &x;
  run(&c);
  do {
    uint32_t random = 1;
    c.verb = OGIVE_ADD;
    for (int i = 0; i < 1000; i++) {
      for (int j = 0; j < 1000; j++) chunk[j] = (random = random * 1664525 + 1013904223) / 4294967296.0;
      run(&c);
    }
    c.verb = OGIVE_NEXT;
    run(&c);
  } while (c.number[0]);
  ogive_result y = {.tensor = {.data = &answer}, .room = sizeof answer};
  c.verb = OGIVE_ANSWER;
  c.results = &y;
  run(&c);
  printf("median of the stream: %.6f\n", answer);
  c.verb = OGIVE_RELEASE;
  run(&c);
}

int main(void) {
  if (ogive_abi() != OGIVE_ABI) {
    fprintf(stderr, "libogive has version %d of the interface, want %d\n", ogive_abi(), OGIVE_ABI);
    return 1;
  }
  quartiles();
  fraction();
  plan();
  state();

  ogive_call wrong = OGIVE_CALL;
  wrong.op = OGIVE_MEDIAN;
  wrong.message = message, wrong.message_room = sizeof message;
  printf("status %d: ", ogive_run(&wrong));
  puts(message);
  return 0;
}

/* Output:
q = 0.25: 2 25
q = 0.5: 3 35
q = 0.75: 4 42.5
29/100 of 0..100: 29
median of row 0: 3
median of row 1: 7
median of the stream: 0.500474
status 6: x is NULL
*/
