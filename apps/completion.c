// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Completions for shells, from the tables of commands and options.

#include <stdio.h>
#include <string.h>

#include "apps/help.h"

/// The command whose options are printed.
static const tact_command* current;

/// Whether the value of an option is a file or a folder.
static bool takes_file(const tact_option* o)
{
    if (o->kind == TACT_OPTION_OUTPUT || o->kind == TACT_OPTION_PICTURE) return true;
    if (!o->value || (o->kind != TACT_OPTION_TEXT && o->kind != TACT_OPTION_LIST && o->kind != TACT_OPTION_PAIR))
        return false;
    return strstr(o->value, "FILE") || strstr(o->value, "DIR") || strcmp(o->name, "rays") == 0 ||
           strcmp(o->name, "points") == 0;
}

static void each_option(const tact_option_set* set, void (*put)(const tact_option* option))
{
    const tact_option* const parts[2] = {set->own, set->common};
    for (int i = 0; i < 2; ++i)
        for (const tact_option* o = parts[i]; o && o->name; ++o)
            if (!tact_option_is_hidden(set, o)) put(o);
}

static void put_choices(const tact_option* o, const char* between)
{
    for (int i = 0; o->choices[i]; ++i)
        printf("%s%s", i ? between : "", o->choices[i]);
}

/// Names of commands, of `tact bench` or of the program.
static void put_names(const tact_command* commands, size_t count, bool bench, const char* between)
{
    const char* before = "";
    for (size_t i = 0; i < count; ++i) {
        const char* space = strchr(commands[i].name, ' ');
        if ((space != NULL) != bench) continue;
        printf("%s%s", before, space ? space + 1 : commands[i].name);
        before = between;
    }
}

// ---- bash ----

static void bash_begin(const tact_command* commands, size_t count)
{
    puts(
        "# Completion of tact for bash, made by `tact completion bash`.\n"
        "_tact()\n{\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
        "    local options='' choices='' files=1\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        mapfile -t COMPREPLY < <(compgen -W 'help version completion ", stdout);
    put_names(commands, count, false, " ");
    puts(" --help --version' -- \"$current\")\n        return\n    fi");
    fputs("    if [ \"$command\" = bench ]; then\n        case ${COMP_WORDS[2]-} in", stdout);
    fputs("\n            ", stdout);
    put_names(commands, count, true, " | ");
    puts(") [ \"$COMP_CWORD\" -eq 2 ] || command=\"bench ${COMP_WORDS[2]}\" ;;\n        esac\n    fi");
    // "--mode=any" is three words, and "--mode=" two.
    puts(
        "    if [ \"$current\" = = ]; then\n"
        "        current=''\n"
        "    elif [ \"$before\" = = ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
        "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "    fi\n"
        "    case \"$command $before\" in");
    fputs("        'bench bench') [ \"${current:0:1}\" = - ] || files=too choices='", stdout);
    put_names(commands, count, true, " ");
    puts("' ;;");
}

static void bash_choice(const tact_option* o)
{
    if (o->kind == TACT_OPTION_CHOICE) {
        printf("        '%s --%s') choices='", current->name, o->name);
        put_choices(o, " ");
        puts("' ;;");
    } else if (o->kind != TACT_OPTION_FLAG && !takes_file(o)) {
        printf("        '%s --%s') files='' ;;\n", current->name, o->name);
    } else if (o->kind != TACT_OPTION_FLAG) {
        printf("        '%s --%s') files=only ;;\n", current->name, o->name);
    }
}

static void bash_choices(const tact_option_set* set, const char* usage, bool operands)
{
    (void)usage;
    (void)operands;
    each_option(set, bash_choice);
}

static void bash_name(const tact_option* o)
{
    printf(" --%s", o->name);
}

static void bash_options(const tact_option_set* set, const char* usage, bool operands)
{
    (void)usage;
    (void)operands;
    printf("        '%s') options='--help", current->name);
    each_option(set, bash_name);
    puts("' ;;");
}

static void bash_end(const tact_command* commands, size_t count)
{
    fputs("        help) choices='", stdout);
    for (size_t i = 0; i < count; ++i)
        if (!strchr(commands[i].name, ' ')) printf("%s%s", i ? " " : "", commands[i].name);
    puts(
        "' ;;\n        completion) choices='bash zsh fish' ;;\n    esac\n"
        "    if [ -n \"$choices\" ]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$current\"\n"
        "            [ \"$files\" != too ] || compgen -f -- \"$current\")\n"
        "    elif [ \"$files\" = 1 ] && [ \"${current:0:1}\" = - ]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
        "    elif [ -n \"$files\" ]; then\n"
        "        compopt -o filenames 2>/dev/null\n"
        "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
        "    fi\n}\ncomplete -F _tact tact");
}

// ---- zsh ----

/// A text within single quotes and brackets.
static void zsh_text(const char* text)
{
    for (; *text; ++text) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') putchar('\\');
            putchar(*text);
        }
    }
}

static void zsh_begin(const tact_command* commands, size_t count)
{
    puts(
        "#compdef tact\n# Completion of tact for zsh, made by `tact completion zsh`.\n\n_tact()\n{\n"
        "    local -a commands\n    commands=(\n        'help:what a command takes'\n"
        "        'version:the version and how it was built'\n        'completion:completions for a shell'");
    for (size_t i = 0; i < count; ++i) {
        if (strchr(commands[i].name, ' ')) continue;
        printf("        '%s:", commands[i].name);
        zsh_text(commands[i].help);
        puts("'");
    }
    puts(
        "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
        "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))");
    fputs("    if [[ $command == bench && $words[2] == (", stdout);
    const char* between = "";
    for (size_t i = 0; i < count; ++i) {
        const char* space = strchr(commands[i].name, ' ');
        if (!space) continue;
        printf("%s%s", between, space + 1);
        between = "|";
    }
    puts(
        ") && CURRENT -gt 2 ]]; then\n        command=\"bench $words[2]\"\n        shift words\n"
        "        (( CURRENT-- ))\n    elif [[ $command == bench && CURRENT -eq 2 && $PREFIX != -* ]]; then");
    fputs("        _alternative 'benchmarks:benchmark:(", stdout);
    put_names(commands, count, true, " ");
    puts(")' 'files:mesh:_files'\n        return\n    fi\n    case $command in");
}

static void zsh_option(const tact_option* o)
{
    printf(" \\\n                '%s--%s%s[", o->kind == TACT_OPTION_LIST ? "*" : "", o->name,
           o->kind == TACT_OPTION_FLAG ? "" : "=");
    zsh_text(o->help);
    putchar(']');
    if (o->kind != TACT_OPTION_FLAG) {
        putchar(':');
        zsh_text(o->value);
        putchar(':');
        if (o->kind == TACT_OPTION_CHOICE) {
            putchar('(');
            put_choices(o, " ");
            putchar(')');
        } else if (takes_file(o)) {
            fputs("_files", stdout);
        }
    }
    putchar('\'');
}

static void zsh_describe(const tact_option_set* set, const char* usage, bool operands)
{
    (void)usage;
    const char* space = strchr(current->name, ' ');
    printf("        %s%s%s)\n            _arguments", space ? "'" : "", current->name, space ? "'" : "");
    each_option(set, zsh_option);
    fputs(" \\\n                '--help[what the command takes]'", stdout);
    puts(operands ? " \\\n                '*:file:_files'\n            ;;" : "\n            ;;");
}

static void zsh_end(void)
{
    puts(
        "        help)\n            _describe command commands\n            ;;\n"
        "        completion)\n            _values shell bash zsh fish\n            ;;\n"
        "    esac\n}\n\n_tact \"$@\"");
}

// ---- fish ----

static void fish_text(const char* text)
{
    putchar('\'');
    for (; *text; ++text) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void fish_begin(const tact_command* commands, size_t count)
{
    puts(
        "# Completion of tact for fish, made by `tact completion fish`.\n"
        "function __tact_command\n    set -l words (commandline -opc)\n"
        "    test \"$words[2]\" = \"$argv[1]\"; and test (count $argv) -eq 1 -o \"$words[3]\" = \"$argv[2]\"\nend\n"
        "complete -c tact -n '__tact_command \"\"' -x -a help -d 'what a command takes'\n"
        "complete -c tact -n '__tact_command \"\"' -x -a version -d 'the version and how it was built'\n"
        "complete -c tact -n '__tact_command \"\"' -x -a completion -d 'completions for a shell'");
    for (size_t i = 0; i < count; ++i) {
        if (strchr(commands[i].name, ' ')) continue;
        printf("complete -c tact -n '__tact_command \"\"' -x -a %s -d ", commands[i].name);
        fish_text(commands[i].help);
        putchar('\n');
    }
    fputs(
        "complete -c tact -n '__tact_command completion' -x -a 'bash zsh fish'\n"
        "complete -c tact -n '__tact_command help' -x -a '",
        stdout);
    put_names(commands, count, false, " ");
    fputs("'\ncomplete -c tact -n '__tact_command bench' -a '", stdout);
    put_names(commands, count, true, " ");
    puts("'");
}

static void fish_option(const tact_option* o)
{
    printf("complete -c tact -n '__tact_command %s' -l %s", current->name, o->name);
    if (o->kind == TACT_OPTION_CHOICE) {
        fputs(" -x -a '", stdout);
        put_choices(o, " ");
        putchar('\'');
    } else if (o->kind != TACT_OPTION_FLAG) {
        fputs(takes_file(o) ? " -r -F" : " -x", stdout);
    }
    fputs(" -d ", stdout);
    fish_text(o->help);
    putchar('\n');
}

static void fish_describe(const tact_option_set* set, const char* usage, bool operands)
{
    (void)usage;
    (void)operands;
    each_option(set, fish_option);
}

// ---- All ----

static void describe_all(const tact_command* commands, size_t count, tact_describe* describe, tact_problem* problem)
{
    tact_options_describe_by(describe);
    for (size_t i = 0; i < count; ++i) {
        char help[] = "--help";
        char* arguments[] = {help, NULL};
        current = &commands[i];
        commands[i].run(1, arguments, problem);
    }
    tact_options_describe_by(NULL);
}

bool tact_help_completion(const char* name, const tact_command* commands, size_t count, tact_problem* problem)
{
    if (strcmp(name, "bash") == 0) {
        bash_begin(commands, count);
        describe_all(commands, count, bash_choices, problem);
        puts("    esac\n    case $command in");
        describe_all(commands, count, bash_options, problem);
        bash_end(commands, count);
    } else if (strcmp(name, "zsh") == 0) {
        zsh_begin(commands, count);
        describe_all(commands, count, zsh_describe, problem);
        zsh_end();
    } else if (strcmp(name, "fish") == 0) {
        fish_begin(commands, count);
        describe_all(commands, count, fish_describe, problem);
    } else {
        return tact_problem_set(problem, "%s: completions are for bash, zsh and fish", name);
    }
    return true;
}
