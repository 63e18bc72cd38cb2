/* Prints where the fields of the structs of ogive.h lie. */
#include <ogive.h>
#include <stddef.h>
#include <stdio.h>

#define AT(type, field) printf(#type " " #field " %zu\n", offsetof(type, field))

int main(void) {
  AT(DLTensor, data); AT(DLTensor, device); AT(DLTensor, ndim); AT(DLTensor, dtype);
  AT(DLTensor, shape); AT(DLTensor, strides); AT(DLTensor, byte_offset);
  AT(ogive_result, room); AT(ogive_result, given);
  AT(ogive_call, size); AT(ogive_call, verb); AT(ogive_call, op); AT(ogive_call, flags);
  AT(ogive_call, method); AT(ogive_call, mode); AT(ogive_call, kind); AT(ogive_call, workers);
  AT(ogive_call, axes); AT(ogive_call, n_axes); AT(ogive_call, q); AT(ogive_call, n_q);
  AT(ogive_call, num); AT(ogive_call, den); AT(ogive_call, window); AT(ogive_call, min_count);
  AT(ogive_call, budget); AT(ogive_call, x); AT(ogive_call, weights); AT(ogive_call, keys);
  AT(ogive_call, test); AT(ogive_call, upstream); AT(ogive_call, results); AT(ogive_call, handle);
  AT(ogive_call, other); AT(ogive_call, number); AT(ogive_call, cancel); AT(ogive_call, progress);
  AT(ogive_call, message); AT(ogive_call, message_room);
  printf("%zu %zu %zu\n", sizeof(DLTensor), sizeof(ogive_result), sizeof(ogive_call));
  return 0;
}
