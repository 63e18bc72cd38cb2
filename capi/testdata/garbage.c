/*
 * Calls libogive with whatever a caller can get wrong, and with results and texts that end where a
 * sanitizer sees one byte too many. Every call must return, and the last one must answer.
 */
#include <assert.h>
#include <ogive.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t seed = 1;

static uint64_t draw(void) {
  uint64_t r = 0;
  for (int i = 0; i < 4; i++) r = r << 16 ^ (seed = seed * 1664525 + 1013904223) >> 12;
  return r;
}

/* A value of a field: mostly one that is close to right. */
static uint64_t odd(void) {
  static const int64_t values[] = {0, 1, 2, 3, 5, 16, 17, 99, -1, -2, 1 << 20, INT64_MAX, INT64_MIN};
  return draw() % 4 ? (uint64_t)values[draw() % (sizeof values / sizeof *values)] : draw();
}

static void *answers(void *arg) {
  double data[5] = {3, 1, 2, 5, 4}, *answer = malloc(sizeof *answer);
  int64_t five = 5;
  DLTensor x = {data, {kDLCPU, 0}, 1, {kDLFloat, 64, 1}, &five, NULL, 0};
  for (int i = 0; i < 1000; i++) {
    ogive_result y = {.tensor = {.data = answer}, .room = sizeof *answer};
    ogive_call c = OGIVE_CALL;
    c.op = OGIVE_MEDIAN, c.x = &x, c.results = &y;
    *answer = 0;
    assert(ogive_run(&c) == OGIVE_OK && *answer == 3);
  }
  free(answer);
  return arg;
}

int main(void) {
  assert(ogive_run(NULL) == OGIVE_ARGUMENT);
  int counts[32] = {0};
  for (int i = 0; i < 200000; i++) {
    /* Each in memory of its own, so that a byte beyond it is seen. */
    int64_t *shape = malloc(2 * 8), *answer_shape = malloc(OGIVE_MAX_DIMS * 8);
    double *data = malloc(6 * 8), *answer = malloc(3 * 8), *q = malloc(2 * 8);
    char *message = malloc(9);
    shape[0] = 2, shape[1] = 3, q[0] = 0.5, q[1] = 0.25;
    for (int j = 0; j < 6; j++) data[j] = j;
    DLTensor x = {data, {kDLCPU, 0}, 2, {kDLFloat, 64, 1}, shape, NULL, 0};
    ogive_result y = {.tensor = {.data = answer, .shape = answer_shape}, .room = 3 * 8};
    ogive_call c = OGIVE_CALL;
    c.op = 1 + draw() % 16, c.x = &x, c.q = q, c.results = &y, c.message = message, c.message_room = 9;
    switch (draw() % 24) {
      case 0: c.size = odd(); break;
      case 1: c.verb = odd(); break;
      case 2: c.op = odd(); break;
      case 3: c.flags = odd(); break;
      case 4: c.method = odd(); break;
      case 5: c.mode = odd(); break;
      case 6: c.kind = odd(), c.op = OGIVE_ISIN, c.test = &x; break;
      case 7: x.ndim = draw() % 2 ? -1 : 17 + odd() % 1000; break;
      case 8: x.dtype.code = 7 + odd(); break;
      case 9: x.dtype.bits = odd(); if (x.dtype.bits > 64) x.dtype.bits = 65; break;
      case 10: x.dtype.lanes = odd(); break;
      case 11: x.device.device_type = odd(); break;
      case 12: x.data = NULL; break;
      case 13: x.shape = NULL; break;
      case 14: x.byte_offset = 1 + odd() % 7; break;
      case 15: shape[0] = draw() % 2 ? -5 : INT64_MAX / 2; break;
      case 16: c.x = NULL; break;
      case 17: c.q = NULL; break;
      case 18: c.results = NULL; break;
      case 19: c.handle = odd(), c.other = odd(), c.verb = OGIVE_RUN + draw() % 11; break;
      case 20: y.tensor.data = NULL; break;
      case 21: y.tensor.shape = NULL, c.axes = shape, c.n_axes = 0; break;
      case 22: c.n_q = 2, c.window = (int64_t)odd() % 5; break;
      case 23: c.keys = &x; break;
    }
    if (x.dtype.bits < 65) counts[ogive_run(&c) & 31]++;
    free(shape), free(answer_shape), free(data), free(answer), free(q), free(message);
  }
  printf("statuses:");
  for (int i = 0; i < 32; i++) if (counts[i]) printf(" %d", i);
  printf("\n");
  assert(counts[OGIVE_PANIC] == 0);

  pthread_t threads[8];
  for (int i = 0; i < 8; i++) assert(!pthread_create(&threads[i], NULL, answers, NULL));
  for (int i = 0; i < 8; i++) assert(!pthread_join(threads[i], NULL));
  return 0;
}
