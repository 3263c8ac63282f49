/* A host in C: runs `smooth` on 1 2 3 4 5 and prints the result. */
#include <stdio.h>

#include "dynacc/program_c.h"

static int failed(dynacc_program_error* error) {
  if (error == NULL) return 0;
  fprintf(stderr, "%d: %s\n", (int)dynacc_program_error_code(error), dynacc_program_error_message(error));
  dynacc_program_error_free(error);
  return 1;
}

static int refused(dynacc_program_error* error) {
  const int is_invalid = dynacc_program_error_code(error) == DYNACC_INVALID_ARGUMENT;
  dynacc_program_error_free(error);
  return is_invalid;
}

int main(int argc, char** argv) {
  dynacc_program* program = NULL;
  double data[5] = {1, 2, 3, 4, 5};
  dynacc_program_array input = {sizeof input, data, DYNACC_ELEMENT_FLOAT64, 1, {5}, {8}, NULL};
  dynacc_program_array output = {.struct_size = sizeof output};
  dynacc_program_array spec = {.struct_size = sizeof spec};
  int64_t i;
  if (argc != 2 || failed(dynacc_program_load(argv[1], &program))) return 1;
  if (dynacc_program_input_count(program) != 1 || dynacc_program_output_count(program) != 1) return 1;
  if (failed(dynacc_program_input(program, 0, &spec)) || spec.rank != 1 || spec.shape[0] != -1) return 1;
  if (failed(dynacc_program_run(program, &input, 1, NULL, 0, &output, 1, NULL))) return 1;
  for (i = 0; i < output.shape[0]; ++i) printf("%s%g", i == 0 ? "" : " ", ((double*)output.data)[i]);
  printf("\n");
  dynacc_program_array_free(&output);
  if (!refused(dynacc_program_run(program, NULL, 1, NULL, 0, &output, 1, NULL))) return 1;
  input.shape[0] = INT64_MAX;
  if (!refused(dynacc_program_run(program, &input, 1, NULL, 0, &output, 1, NULL))) return 1;
  dynacc_program_free(program);
  if (!refused(dynacc_program_load(NULL, &program)) || !refused(dynacc_program_load(argv[1], NULL))) return 1;
  if (!refused(dynacc_program_load_with_weights(argv[1], NULL, &program))) return 1;
  if (failed(dynacc_program_load_with_weights(argv[1], "", &program))) return 1;
  dynacc_program_free(program);
  if (!refused(dynacc_program_run(NULL, NULL, 0, NULL, 0, NULL, 0, NULL))) return 1;
  if (!refused(dynacc_program_input(NULL, 0, NULL)) || dynacc_program_input_name(NULL, 3)[0] != 0) return 1;
  dynacc_program_free(NULL);
  dynacc_program_array_free(NULL);
  dynacc_program_error_free(NULL);
  return 0;
}
