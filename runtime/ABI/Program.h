/*===- Program.h - What a compiled program and the runtime share -*- C -*-===*/
/* The only meeting place of compiler and runtime: the tables that codegen    */
/* writes into an artifact's object file and that the runtime reads, and the  */
/* calls that compiled code makes into the runtime (Calls.h).                 */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_PROGRAM_H
#define INGOT_RUNTIME_ABI_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "INGOTPRG", little endian. */
#define INGOT_PROGRAM_MAGIC UINT64_C(0x475250544f474e49)
/* Raised whenever a struct below changes; a runtime refuses any other. */
#define INGOT_ABI_VERSION 6u
/* Alignment of variables, arenas, feeds and fetches, in bytes. The fetches of a
 * dataset's function have that of their elements: they may be rows of a batch.
 */
#define INGOT_ALIGNMENT 64u

/* Element types, numbered as TensorFlow's DataType. */
typedef enum ingot_dtype {
  INGOT_FLOAT = 1,
  INGOT_DOUBLE = 2,
  INGOT_INT32 = 3,
  INGOT_UINT8 = 4,
  INGOT_INT16 = 5,
  INGOT_INT8 = 6,
  INGOT_STRING = 7,
  INGOT_INT64 = 9,
  INGOT_BOOL = 10,
  INGOT_BFLOAT16 = 14,
  INGOT_UINT16 = 17,
  INGOT_HALF = 19,
  INGOT_VARIANT = 21,
  INGOT_UINT32 = 22,
  INGOT_UINT64 = 23
} ingot_dtype;

/* An element of a string tensor. The bytes belong to whoever made it. */
typedef struct ingot_string {
  const char *data;
  uint64_t size;
} ingot_string;

/* A tensor's name as the user's graph has it ("accuracy:0"), its element type
 * and its static shape. A dimension of -1 is not known before run time. */
typedef struct ingot_tensor_spec {
  const char *name;
  int32_t dtype;
  uint32_t rank;
  const int64_t *dims;
} ingot_tensor_spec;

/* A tensor at run time. Elements are dense, row-major and aligned to
 * INGOT_ALIGNMENT; ingot_string for strings, int64_t for variants. */
typedef struct ingot_tensor {
  void *data;
  int64_t *dims; /* `rank` of them */
  uint32_t rank;
  int32_t dtype;
} ingot_tensor;

/* A constant tensor: row-major elements; ingot_string[] for strings. */
typedef struct ingot_constant {
  ingot_tensor_spec spec;
  const void *data;
} ingot_constant;

typedef struct ingot_context ingot_context; /* the runtime's; opaque to code */

/* An entry or a dataset function. `arena` is scratch of the size and alignment
 * that the descriptor states; what does not fit a plan made when the program
 * was compiled comes from ingot_rt_allocate. `variables` are the addresses of
 * all the program's variables, by index; `feeds` and `fetches` are in the order
 * of the descriptor. A fetch whose shape the descriptor states comes with its
 * dims and memory for its data; of any other the code sets both, and they last
 * until the next entry or function runs in `ctx`. Returns 0, or the code of the
 * error that the runtime call which failed has recorded in the context. */
typedef int32_t (*ingot_code)(ingot_context *ctx, uint8_t *arena,
                              void *const *variables, const ingot_tensor *feeds,
                              ingot_tensor *fetches);

/* A random op's position in its sequence, int64[2], starts at zero; the seed of
 * the session, int64[2] with a zero behind, is given to a session. Both are
 * saved, but a checkpoint may lack them. A temporary variable needs no value
 * before an entry runs. */
enum {
  INGOT_VARIABLE_TRAINABLE = 1,
  INGOT_VARIABLE_LOCAL = 2,
  INGOT_VARIABLE_RANDOM_POSITION = 4,
  INGOT_VARIABLE_RANDOM_SEED = 8,
  INGOT_VARIABLE_TEMPORARY = 16
};

typedef struct ingot_variable {
  ingot_tensor_spec spec; /* spec.name is the variable's: "hidden1/kernel" */
  uint64_t byte_size;
  uint32_t flags;
  const char *device; /* as the graph has it; "" where it has none */
} ingot_variable;

typedef enum ingot_role {
  INGOT_ROLE_INIT = 1,
  INGOT_ROLE_LOCAL_INIT = 2,
  INGOT_ROLE_READY = 3,
  INGOT_ROLE_READY_FOR_LOCAL_INIT = 4,
  INGOT_ROLE_STEP = 5,
  INGOT_ROLE_SAVE = 6,
  INGOT_ROLE_RESTORE = 7,
  INGOT_ROLE_SUMMARY = 8,
  INGOT_ROLE_EVALUATE = 9,
  INGOT_ROLE_PREDICT = 10,
  INGOT_ROLE_OTHER = 11,
  INGOT_ROLE_AFTER_STEP = 12 /* run after each step, before hooks see it */
} ingot_role;

/* `run` has one element for each of the program's targets. */
typedef struct ingot_entry {
  const char *name;
  uint32_t role;
  const ingot_code *run;
  uint64_t arena_size;
  uint32_t num_feeds;
  const ingot_tensor_spec *feeds;
  uint32_t num_fetches;
  const ingot_tensor_spec *fetches;
  uint32_t num_assigned; /* variables that this entry leaves initialized */
  const uint32_t *assigned;
} ingot_entry;

/* One dense feature of a parse op (ParseExampleV2). */
typedef struct ingot_dense_feature {
  const char *key;
  int32_t dtype; /* float, int64 or string */
  uint32_t rank;
  const int64_t *dims;
  const void *default_value; /* null: the feature must be present */
} ingot_dense_feature;

typedef struct ingot_parse_spec {
  const char *node; /* the parse op's name in the user's graph */
  uint32_t num_dense;
  const ingot_dense_feature *dense;
} ingot_parse_spec;

/* A function that a dataset maps over its elements. One that draws random
 * numbers has state, int64[2] each, as its last inputs: `num_positions`, which
 * start at zero, then `num_seeds`, any number with a zero behind. Its last
 * outputs are the positions of the next call. Inputs and outputs count them.
 * Where all that can fail in it is to parse its only input, `parse` says how
 * that is done, and `parsed` for each output which dense feature has its
 * elements (INGOT_COMPUTED: none).
 */
#define INGOT_COMPUTED UINT32_MAX

typedef struct ingot_function {
  const char *name;
  const ingot_code *run;
  uint64_t arena_size;
  uint32_t num_inputs;
  const ingot_tensor_spec *inputs;
  uint32_t num_outputs;
  const ingot_tensor_spec *outputs;
  const ingot_parse_spec *parse; /* null: another kind of function */
  const uint32_t *parsed;
  uint32_t num_positions;
  uint32_t num_seeds;
} ingot_function;

/* One tensor operand of a dataset op: a constant, or argument `argument` of
 * the dataset-valued function whose body the op stands in (flat_map). */
typedef struct ingot_dataset_operand {
  const ingot_constant *constant; /* null: an argument */
  uint32_t argument;
} ingot_dataset_operand;

/* One attribute of a dataset op, named as TensorFlow names it. */
typedef struct ingot_attribute {
  const char *name;
  int64_t integer;    /* integers and booleans */
  const char *string; /* null unless a string */
} ingot_attribute;

/* One attribute of a runtime op, by its name in the dialect. Which of the
 * members says something is its kind's. */
typedef struct ingot_op_attribute {
  const char *name;
  int64_t integer; /* integers, booleans, element types (ingot_dtype) */
  double number;
  ingot_string string;
  uint32_t num_values; /* of lists */
  const int64_t *integers;
  const ingot_string *strings;
} ingot_op_attribute;

/* A call of a runtime op: where it stands, and what is known of it when the
 * program is compiled. */
typedef struct ingot_op {
  const char *node; /* name in the user's graph, for messages */
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t num_attributes;
  const ingot_op_attribute *attributes;
} ingot_op;

/* One dataset op. `op` is TensorFlow's name ("ShuffleDataset"), for messages;
 * `operands` are its tensor inputs in TensorFlow's order, after the dataset
 * inputs. */
typedef struct ingot_dataset {
  const char *node; /* name in the user's graph, for messages */
  const char *op;
  uint32_t num_inputs;
  const uint32_t *inputs; /* indices into ingot_program.datasets */
  uint32_t num_operands;
  const ingot_dataset_operand *operands;
  uint32_t num_attributes;
  const ingot_attribute *attributes;
  int32_t function; /* map: index into ingot_program.functions, or -1 */
  int32_t body;     /* flat_map: the dataset its function returns, or -1 */
  uint32_t num_components;
  const ingot_tensor_spec *components; /* of one element */
  /* What the runtime knows the op by, and makes its iterators with: the
   * runtime's own (DatasetOp.h), linked where a table refers to it. */
  const void *code;
} ingot_dataset;

typedef struct ingot_iterator {
  const char *name; /* "IteratorV2" */
  uint32_t dataset; /* index into ingot_program.datasets */
  uint32_t num_components;
  const ingot_tensor_spec *components;
} ingot_iterator;

/* A further dataset that an iterator may be made over, of the same components:
 * ingot_rt_iterator_make takes ingot_program.num_iterators plus its index. */
typedef struct ingot_alternative {
  uint32_t iterator; /* indices into ingot_program's tables */
  uint32_t dataset;
} ingot_alternative;

/* One tensor that a saver saves. */
typedef struct ingot_saved_item {
  const char *key; /* name in the checkpoint */
  /* "" or TensorFlow's slice text: "10 4 0,4:-" */
  const char *slice;
  int32_t variable; /* index, or -1 */
  int32_t iterator; /* index, or -1 */
  uint32_t shard;
  /* Where neither: a text that is written as it is (a scalar string). */
  ingot_string constant;
} ingot_saved_item;

typedef struct ingot_saver {
  const char *name;     /* name scope in the graph: "save" */
  const char *filename; /* the graph's default prefix: "model" */
  uint32_t num_items;
  const ingot_saved_item *items;
  uint32_t num_shards;
  uint32_t sharded; /* 0: data-00000-of-00001, written without _temp parts */
  int32_t max_to_keep;
  float keep_checkpoint_every_n_hours;
  uint32_t
      reshape; /* restores tensors of another shape, but as many elements */
} ingot_saver;

typedef struct ingot_program {
  uint64_t magic;
  uint32_t abi_version;
  uint32_t struct_size;    /* sizeof(ingot_program), a second guard */
  const char *compiler;    /* "ingotc 0.1.0, LLVM 22.1.8" */
  const char *source;      /* file name of the graph */
  const char *source_hash; /* SHA-256 of the graph, hex */
  uint32_t num_targets;    /* rising: "x86-64-v2", "x86-64-v3", ... */
  const char *const *targets;
  uint32_t num_variables;
  const ingot_variable *variables;
  uint32_t num_entries;
  const ingot_entry *entries;
  uint32_t num_functions;
  const ingot_function *functions;
  uint32_t num_datasets;
  const ingot_dataset *datasets;
  uint32_t num_iterators;
  const ingot_iterator *iterators;
  uint32_t num_alternatives;
  const ingot_alternative *alternatives;
  uint32_t num_savers;
  const ingot_saver *savers;
  int32_t global_step;  /* index of the variable, or -1 */
  const char *loss;     /* default --loss: a fetch of the step entry */
  uint32_t num_kernels; /* names of the generated kernels, for info */
  const char *const *kernels;
  uint32_t default_threads; /* --threads-default; 0: one a core */
  /* The graph as a serialized MetaGraphDef, a zlib stream; null: left out. */
  const uint8_t *meta_graph;
  uint64_t meta_graph_size; /* of the stream */
  uint64_t meta_graph_full_size;
} ingot_program;

/* The one symbol that an artifact exports to the runtime it is linked with. */
extern const ingot_program ingot_main_program;

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_PROGRAM_H */
