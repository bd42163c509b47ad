// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "apps/color.h"
#include "apps/commands.h"
#include "apps/help.h"
#include "apps/json_out.h"
#include "apps/ranks.h"
#include "apps/suggest.h"
#include "apps/system.h"

const tact_tool_ranks* tact_tool_ranks_here;

#define ENTRY(name, help) {#name, tact_command_##name, help},
#define BENCH_ENTRY(name, help) {"bench " #name, tact_command_bench_##name, help},
/// The commands, and after them those of `tact bench`.
static const tact_command commands[] = {TACT_COMMANDS(ENTRY) TACT_BENCH_COMMANDS(BENCH_ENTRY)};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static bool is_bench(const tact_command* command)
{
    return strchr(command->name, ' ') != NULL;
}

static void print_help(void)
{
    puts("tact: collision queries with one answer on every device\n");
    puts("Usage: tact COMMAND [options]\n       tact help COMMAND\n       tact --version\n\nCommands:");
    for (int i = 0; i < COMMANDS; ++i)
        if (!is_bench(&commands[i])) printf("  %-10s %s\n", commands[i].name, commands[i].help);
    puts(
        "\nMeshes are OBJ, PLY, STL and what else Assimp reads (glTF, 3DS and more); arrays are NumPy files\n"
        "(.npy); - is standard input or output. Numbers may be written 1e6, 1_000_000 or 1M.");
    puts("Exit status: 0 done; 1 a check failed; 2 wrong use or invalid input; 3 no device could run it.");
}

/// The command of this name, which for `tact bench` may be two words; NULL: none.
static const tact_command* find(int argc, char** argv)
{
    const tact_command* found = NULL;
    for (int i = 0; i < COMMANDS && argc > 0; ++i) {
        const size_t length = strcspn(commands[i].name, " ");
        if (strlen(argv[0]) != length || memcmp(argv[0], commands[i].name, length) != 0) continue;
        if (!commands[i].name[length]) found = &commands[i];
        if (commands[i].name[length] && argc > 1 && strcmp(argv[1], commands[i].name + length + 1) == 0)
            return &commands[i];
    }
    return found;
}

static int unknown_command(const char* name, tact_problem* problem)
{
    static const char* const more[] = {"help", "version", "completion"};
    char meant[TACT_SUGGESTION_ROOM];
    tact_suggestion near;
    tact_suggestion_begin(&near, name, strlen(name));
    for (int i = 0; i < COMMANDS; ++i)
        if (!is_bench(&commands[i])) tact_suggestion_try(&near, commands[i].name);
    for (size_t i = 0; i < sizeof more / sizeof *more; ++i)
        tact_suggestion_try(&near, more[i]);
    tact_problem_set(problem, "unknown command (tact --help lists all)%s", tact_suggestion_say(&near, "", meant));
    return problem->exit_code;
}

/// `tact help --man [COMMAND|all]`
static int print_manual(int argc, char** argv, tact_problem* problem)
{
    if (argc == 0 || strcmp(argv[0], "all") == 0) tact_help_manual_of_all(commands, COMMANDS);
    if (argc == 0) return TACT_EXIT_DONE;
    for (int i = 0; i < COMMANDS && strcmp(argv[0], "all") == 0; ++i)
        tact_help_manual(&commands[i], problem);
    if (strcmp(argv[0], "all") == 0) return TACT_EXIT_DONE;
    const tact_command* command = find(argc, argv);
    if (!command) return unknown_command(argv[0], problem);
    tact_help_manual(command, problem);
    return TACT_EXIT_DONE;
}

/// `tact help`, of all, of a command, as a manual page, or a list of names for scripts.
static int help(int argc, char** argv, tact_problem* problem)
{
    if (argc == 0) {
        print_help();
        return TACT_EXIT_DONE;
    }
    if (tact_options_ask_help(argc, argv)) {
        puts(
            "Usage: tact help [COMMAND]\n       tact help --man [COMMAND|all]\n       tact help --list\n\n"
            "Prints what a command takes.\n\nOptions:\n"
            "  --man                      as a manual page, of the program where no command is given\n"
            "  --list                     the names of all commands\n"
            "  --help                     this text");
        return TACT_EXIT_DONE;
    }
    if (strcmp(argv[0], "--man") == 0) return print_manual(argc - 1, argv + 1, problem);
    if (strcmp(argv[0], "--list") == 0) {
        for (int i = 0; i < COMMANDS; ++i)
            puts(commands[i].name);
        return TACT_EXIT_DONE;
    }
    const tact_command* command = find(argc, argv);
    if (!command) return unknown_command(argv[0], problem);
    char text[] = "--help";
    char* arguments[] = {text, NULL};
    return command->run(1, arguments, problem);
}

static int completion(int argc, char** argv, tact_problem* problem)
{
    if (argc == 1 && tact_options_ask_help(argc, argv)) {
        puts("Usage: tact completion bash|zsh|fish\n\nPrints completions of commands, options and values for a shell.");
        return TACT_EXIT_DONE;
    }
    if (argc != 1) {
        tact_problem_set(problem, "a shell is needed: bash, zsh or fish");
        return problem->exit_code;
    }
    return tact_help_completion(argv[0], commands, COMMANDS, problem) ? TACT_EXIT_DONE : problem->exit_code;
}

static int run(int argc, char** argv, tact_problem* problem)
{
    if (argc < 2) {
        tact_problem_set(problem, "no command given; tact --help lists them");
        return problem->exit_code;
    }
    const char* name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return help(0, NULL, problem);
    if (strcmp(name, "help") == 0) return help(argc - 2, argv + 2, problem);
    if (strcmp(name, "completion") == 0) return completion(argc - 2, argv + 2, problem);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "version") == 0) {
        printf("tact %s\n%s\n", tact_version(), tact_build_info());
        return TACT_EXIT_DONE;
    }
    const tact_command* command = find(1, argv + 1);
    return command ? command->run(argc - 2, argv + 2, problem) : unknown_command(name, problem);
}

bool tact_tool_prints(void)
{
    return !tact_tool_ranks_here || tact_tool_ranks_here->rank == 0;
}

/// What a failure is called in JSON: the command's name, or the word that is none.
static const char* name_of(int argc, char** argv)
{
    const tact_command* command = argc > 1 ? find(argc - 1, argv + 1) : NULL;
    return command ? command->name : argc > 1 ? argv[1] : "";
}

static bool wants_json(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--json") == 0) return true;
    return false;
}

int tact_tool_signal(void)
{
    if (tact_tool_ranks_here) tact_system_note_signal(tact_tool_ranks_here->signal(tact_system_signal()));
    return tact_system_signal();
}

/// Stores that a signal has stopped the command, and after that what the command says of it.
static void stop(int signal, tact_problem* problem)
{
    char outcome[sizeof problem->text];
    memcpy(outcome, problem->text, sizeof outcome);
    // A call that was cancelled says no more than that.
    const bool said = *outcome && (problem->result != TACT_ERROR_CANCELLED || problem->exit_code == TACT_EXIT_SIGNAL);
    tact_problem_set(problem, "stopped by signal %d%s%s", signal, said ? ", " : "", said ? outcome : "");
    problem->result = TACT_ERROR_CANCELLED;
    problem->exit_code = TACT_EXIT_SIGNAL + signal;
}

/// The line that tells of a problem.
static void put_line(int argc, char** argv, const tact_problem* problem, char* line, size_t size)
{
    snprintf(line, size, "%stact%s%s:%s %s\n", tact_color_on(stderr, TACT_COLOR_RED), argc > 1 ? " " : "",
             argc > 1 ? argv[1] : "", tact_color_off(stderr), problem->text);
}

/// What is said where a signal ends a command that has nothing to finish.
static void prepare_last_words(int argc, char** argv)
{
    static const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; ++i) {
        tact_problem problem = {0};
        stop(signals[i], &problem);
        char line[sizeof problem.text + 256], object[1024];
        put_line(argc, argv, &problem, line, sizeof line);
        char* text = wants_json(argc, argv) ? tact_json_problem_text(name_of(argc, argv), &problem) : NULL;
        snprintf(object, sizeof object, "%s%s", text ? text : "", text ? "\n" : "");
        cJSON_free(text);
        tact_system_last_words(signals[i], tact_tool_prints() ? line : "", tact_tool_prints() ? object : "");
    }
}

int tact_command_line(int argc, char** argv, tact_problem* problem)
{
    tact_color_begin(argc, argv);
    prepare_last_words(argc, argv);
    int code = run(argc, argv, problem);
    const int signal = tact_system_signal();
    if (code != TACT_EXIT_DONE && signal) {
        stop(signal, problem);
        code = problem->exit_code;
    }
    if (code != TACT_EXIT_DONE && wants_json(argc, argv) && tact_tool_prints())
        tact_json_print_problem(name_of(argc, argv), problem);
    // A full disk or a closed pipe shows only when the last bytes go out.
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (!problem->text[0]) tact_problem_set(problem, "standard output: writing failed");
        if (code == TACT_EXIT_DONE) code = TACT_EXIT_WRONG_USE;
    }
    return code;
}

void tact_command_line_complain(int argc, char** argv, const tact_problem* problem)
{
    char line[sizeof problem->text + 256];
    if (!problem->text[0]) return;
    put_line(argc, argv, problem, line, sizeof line);
    fputs(line, stderr);
}
