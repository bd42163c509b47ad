# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT

# What the scripts share. Source it after `root` is set to the project's folder.

say()
{
    printf '== %s\n' "$*" >&2
}

warn()
{
    printf 'warning: %s\n' "$*" >&2
}

die()
{
    printf 'error: %s\n' "$*" >&2
    exit "${die_status:-1}"
}

# How many jobs to run: one for each processor this process may use.
jobs_here()
{
    nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# step WHAT LOG COMMAND...: runs the command with its output in LOG and shows how far it has come: on a terminal one
# line that renews itself, elsewhere a line every 15 s. When the command fails the end of LOG is shown and 1 returned.
step()
{
    local what=$1 log=$2 start=$SECONDS shown=0 status=0 child progress
    shift 2
    mkdir -p "$(dirname "$log")"
    : >"$log"
    "$@" >"$log" 2>&1 </dev/null &
    child=$!
    while kill -0 "$child" 2>/dev/null; do
        sleep 0.2
        progress=$(tail -n 1 "$log" | cut -c 1-100)
        if [ -t 2 ]; then
            printf '\r\033[K== %s: %d s  %s' "$what" $((SECONDS - start)) "$progress" >&2
        elif [ $((SECONDS - start - shown)) -ge 15 ]; then
            shown=$((SECONDS - start))
            printf '== %s: %d s  %s\n' "$what" "$shown" "$progress" >&2
        fi
    done
    wait "$child" || status=$?
    if [ -t 2 ]; then
        printf '\r\033[K' >&2
    fi
    if [ "$status" -ne 0 ]; then
        printf '== %s: FAILED (exit %d) after %d s; the end of %s:\n' "$what" "$status" $((SECONDS - start)) "$log" >&2
        tail -n 60 "$log" >&2
        return 1
    fi
    say "$what: done in $((SECONDS - start)) s"
}

# configure_and_build PRESET [cmake argument...]: builds the targets named in `targets`, or where it is empty, all.
configure_and_build()
{
    : "${root:?}"
    local preset=$1
    shift
    step "Configuring ($preset)" "$root/build/$preset-configure.log" \
        cmake -S "$root" --preset "$preset" "$@" || return 1
    step "Building ($preset)" "$root/build/$preset-build.log" \
        cmake --build "$root/build/$preset" -j "$(jobs_here)" ${targets:+--target $targets} || return 1
}

# json_value FILE KEY: the first value of a key in a JSON text, compact or pretty; strings without their quotes. Enough
# for the flat objects `tact --json` writes, so that the demo needs no JSON package.
json_value()
{
    tr '\n\t' '  ' <"$1" | sed -n \
        -e 's/\\"/'"'"'/g' \
        -e 's/"'"$2"'"[ ]*:[ ]*/\x01/' \
        -e 's/^[^\x01]*\x01\("[^"]*"\|[^],} ]*\).*$/\1/p' | sed -e 's/^"//' -e 's/"$//'
}

# json_object FILE KEY: the object that a key holds, on one line (for the keys inside it); no nesting.
json_object()
{
    tr '\n\t' '  ' <"$1" | sed -n 's/^.*"'"$2"'"[ ]*:[ ]*\({[^}]*}\).*$/\1/p'
}

# ctest_totals LOG...: "PASSED FAILED SKIPPED" of all runs of ctest in these logs. ctest counts a skipped test as passed.
ctest_totals()
{
    cat "$@" 2>/dev/null | awk '
        /^[0-9]+% tests passed, [0-9]+ tests? failed out of [0-9]+/ { failed += $4; all += $NF; listed = 0 }
        /^The following tests did not run:/ { listed = 1 }
        /^The following tests FAILED:/ { listed = 0 }
        listed && /\((Skipped|Disabled)\)$/ { skipped++ }
        END { printf "%d %d %d\n", all - failed - skipped, failed, skipped }'
}

# partly_skipped LOG...: the tests in these logs of ctest (LastTest.log) whose program passed, and what they left out.
partly_skipped()
{
    cat "$@" 2>/dev/null | awk '
        function report() {
            if (name != "" && passed > 0 && failed == 0 && (skipped > 0 || left > 0)) {
                printf "  %s: %d of %d tests skipped%s\n", name, skipped, passed + skipped, why
                programs++; tests += skipped
            }
            name = ""
        }
        /^[0-9]+\/[0-9]+ Test: / { report(); name = $3; passed = failed = skipped = left = 0; why = "" }
        /^tests: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { passed += $2; failed += $4; skipped += $6 }
        /^skipped at / || /^left out: / {
            if (/^left out: /) left++
            text = $0; sub(/^skipped at [^ ]*:[0-9]*:? ?/, "", text); sub(/^left out: /, "", text)
            if (text != "" && index(why, text) == 0) why = why "; " substr(text, 1, 100)
        }
        END { report(); printf "  in all %d programs, %d single tests\n", programs, tests }'
}
