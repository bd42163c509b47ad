// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A table-driven parser of `--name value` and `--name=value`. Own code, because getopt_long is not to be had
/// everywhere and neither checks numbers nor prints help.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"

typedef enum tact_option_kind {
    TACT_OPTION_FLAG,     ///< target: bool
    TACT_OPTION_NUMBER,   ///< target: uint64_t, as tact_number_parse() takes it, within [low, high]
    TACT_OPTION_CHOICE,   ///< target: int, the index in `choices`
    TACT_OPTION_TEXT,     ///< target: const char*, points into argv; the last one given counts
    TACT_OPTION_OUTPUT,   ///< the same, a file that is written; "-" is standard output
    TACT_OPTION_PICTURE,  ///< the same of a picture, whose name's ending says the format
    TACT_OPTION_LIST,     ///< target: tact_text_list, every one given
    TACT_OPTION_PAIR      ///< target: tact_number_and_text, a number as above and the text after it
} tact_option_kind;

enum { TACT_TEXT_LIST_MAX = 4096 };

typedef struct tact_text_list {
    const char** items;  ///< from malloc; the texts are argv's
    size_t count;
} tact_text_list;

typedef struct tact_number_and_text {
    uint64_t number;
    const char* text;  ///< NULL: the option was not given
} tact_number_and_text;

typedef struct tact_option {
    const char* name;   ///< without the dashes
    const char* value;  ///< what help calls the value; NULL for a flag
    const char* help;
    tact_option_kind kind;
    void* target;
    uint64_t low, high;
    const char* const* choices;  ///< ended by NULL
} tact_option;

/// Rows of a table of options.
#define TACT_FLAG(name, help, target)                          \
    {                                                          \
        name, NULL, help, TACT_OPTION_FLAG, target, 0, 0, NULL \
    }
#define TACT_NUMBER(name, value, help, target, low, high)              \
    {                                                                  \
        name, value, help, TACT_OPTION_NUMBER, target, low, high, NULL \
    }
#define TACT_CHOICE(name, value, help, target, of)              \
    {                                                           \
        name, value, help, TACT_OPTION_CHOICE, target, 0, 0, of \
    }
#define TACT_TEXT(name, value, help, target)                    \
    {                                                           \
        name, value, help, TACT_OPTION_TEXT, target, 0, 0, NULL \
    }
#define TACT_OUTPUT(name, value, help, target)                    \
    {                                                             \
        name, value, help, TACT_OPTION_OUTPUT, target, 0, 0, NULL \
    }
#define TACT_PICTURE(name, help, target)                                \
    {                                                                   \
        name, "FILE.png", help, TACT_OPTION_PICTURE, target, 0, 0, NULL \
    }
#define TACT_LIST(name, value, help, target)                    \
    {                                                           \
        name, value, help, TACT_OPTION_LIST, target, 0, 0, NULL \
    }
#define TACT_PAIR(name, value, help, target, low, high)              \
    {                                                                \
        name, value, help, TACT_OPTION_PAIR, target, low, high, NULL \
    }

/// A row for meshes, of commands that also take them without it.
#define TACT_MESH_OPTION(target) TACT_LIST("mesh", "FILE", "a mesh, as FILE alone; may be given again", target)

/// One command's options: the parts of the table, each ended by an option without a name.
typedef struct tact_option_set {
    const tact_option* own;
    const tact_option* common;
} tact_option_set;

/// Parses what follows the command's name. Where --help or -h is among it, the command is described instead, by `usage`
/// and its options; `*work` tells whether there is anything to do. What does not begin with a dash, or is a dash alone,
/// is added to `operands`, which may be the list of an option: they are then one list in the order given. NULL: the
/// command takes only options.
bool tact_options_take(const tact_option_set* set, const char* usage, tact_text_list* operands, int argc, char** argv,
                       bool* work, tact_problem* problem);

/// Whether --help or -h is among the arguments.
bool tact_options_ask_help(int argc, char** argv);

/// What describes a command in place of running it: as text for --help, as a manual page, for shells. `operands`:
/// whether the command takes such.
typedef void tact_describe(const tact_option_set* set, const char* usage, bool operands);

/// Sets how the next commands describe themselves for --help; NULL: as text.
void tact_options_describe_by(tact_describe* describe);

/// Whether an option is known by this command's own of the same name.
bool tact_option_is_hidden(const tact_option_set* set, const tact_option* option);

/// A whole number, within [low, high], and nothing else: digits, with single underscores between them, a fraction, an
/// exponent or a k, M or G for a thousand, a million, a thousand million. What is not whole is refused. `end` may be
/// given to allow more text after it.
bool tact_number_parse(const char* text, uint64_t low, uint64_t high, uint64_t* number, const char** end);

/// WIDTHxHEIGHT, each within [low, high]; else a problem of the option.
bool tact_size_parse(const char* option, const char* text, uint32_t low, uint32_t high, uint32_t* width,
                     uint32_t* height, tact_problem* problem);

void tact_text_list_free(tact_text_list* list);
