// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/program_cache.h"

#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "tact/version.h"

#ifdef TACT_HAVE_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

void tact_program_cache_open(tact_program_cache* cache, const char* directory, bool disable)
{
    memset(cache, 0, sizeof *cache);
#ifdef TACT_HAVE_XXHASH
    cache->enabled =
        !disable && tact_platform_cache_directory(directory, cache->directory, sizeof cache->directory, NULL);
#else
    (void)directory;
    (void)disable;
#endif
}

bool tact_program_cache_path(const tact_program_cache* cache, const char* name, const tact_program_key* key, char* path,
                             size_t size)
{
    char digits[2 * sizeof key->bytes + 1];
    for (size_t i = 0; i < sizeof key->bytes; ++i)
        snprintf(digits + 2 * i, 3, "%02x", key->bytes[i]);
    const int written = snprintf(path, size, "%s/%s-%s.bin", cache->directory, name, digits);
    return written > 0 && (size_t)written < size;
}

#ifdef TACT_HAVE_XXHASH

enum { FORMAT = 1 };

// No driver's binary of one kernel comes near this; a length beyond it is a damaged one.
static const size_t MOST_BYTES = (size_t)256 << 20;

// In the byte order of the machine: a binary is of no use on another one.
typedef struct head {
    char magic[8];
    uint32_t format;
    uint32_t driver_format;
    uint64_t size;
    unsigned char key[16];
    uint64_t hash;  // of the fields above and the binary
} head;
_Static_assert(sizeof(head) == 48, "a cache file's head has no padding");

static const char MAGIC[8] = {'T', 'A', 'C', 'T', 'P', 'R', 'O', 'G'};

tact_program_key tact_program_key_of(const char* const* parts, const size_t* sizes, size_t count)
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    const uint64_t format = FORMAT;
    XXH3_128bits_update(&state, &format, sizeof format);
    XXH3_128bits_update(&state, TACT_VERSION_STRING, sizeof TACT_VERSION_STRING);
    for (size_t i = 0; i < count; ++i) {
        // With its length, so that moving a byte from one part to the next gives another key.
        const uint64_t size = sizes[i];
        XXH3_128bits_update(&state, &size, sizeof size);
        XXH3_128bits_update(&state, parts[i], sizes[i]);
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    tact_program_key key;
    _Static_assert(sizeof key == sizeof canonical, "both are 128 bits");
    memcpy(&key, &canonical, sizeof key);
    return key;
}

static uint64_t hash_of(const head* h, const void* binary, size_t size)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, h, offsetof(head, hash));
    XXH3_64bits_update(&state, binary, size);
    return XXH3_64bits_digest(&state);
}

static bool head_is_good(const head* h, const tact_program_key* key)
{
    return memcmp(h->magic, MAGIC, sizeof MAGIC) == 0 && h->format == FORMAT &&
           memcmp(h->key, key->bytes, sizeof h->key) == 0 && h->size > 0 && h->size <= MOST_BYTES;
}

static void* read_binary(FILE* file, tact_env* env, const tact_program_key* key, head* h)
{
    if (fread(h, sizeof *h, 1, file) != 1 || !head_is_good(h, key)) return NULL;
    // The length is checked against the file before memory is asked for by it.
    if (fseek(file, 0, SEEK_END) != 0 || ftell(file) != (long)(sizeof *h + h->size)) return NULL;
    if (fseek(file, (long)sizeof *h, SEEK_SET) != 0) return NULL;
    void* binary = tact_allocate(env, 1, (size_t)h->size);
    if (!binary) return NULL;
    if (fread(binary, 1, (size_t)h->size, file) == h->size && hash_of(h, binary, (size_t)h->size) == h->hash) {
        return binary;
    }
    tact_release(env, binary);
    return NULL;
}

void* tact_program_cache_load(const tact_program_cache* cache, tact_env* env, const char* name,
                              const tact_program_key* key, uint32_t* format, size_t* size)
{
    char path[1200];
    if (!cache->enabled || !tact_program_cache_path(cache, name, key, path, sizeof path)) return NULL;
    const char* distrusted = NULL;
    FILE* file = tact_platform_open_trusted(path, &distrusted);
    if (distrusted) tact_log(env, TACT_LOG_WARNING, "cache", "%s is ignored: %s", path, distrusted);
    if (!file) return NULL;
    head h;
    void* binary = read_binary(file, env, key, &h);
    fclose(file);
    if (!binary) return NULL;
    *format = h.driver_format;
    *size = (size_t)h.size;
    return binary;
}

bool tact_program_cache_store(const tact_program_cache* cache, const char* name, const tact_program_key* key,
                              uint32_t format, const void* binary, size_t size)
{
    char path[1200];
    if (!cache->enabled || size == 0 || size > MOST_BYTES) return false;
    if (!tact_program_cache_path(cache, name, key, path, sizeof path)) return false;
    head h = {.format = FORMAT, .driver_format = format, .size = size};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    memcpy(h.key, key->bytes, sizeof h.key);
    h.hash = hash_of(&h, binary, size);
    return tact_platform_write_file(path, TACT_FILE_PRIVATE | TACT_FILE_SYNC, &h, sizeof h, binary, size);
}

#else

tact_program_key tact_program_key_of(const char* const* parts, const size_t* sizes, size_t count)
{
    (void)parts;
    (void)sizes;
    (void)count;
    const tact_program_key key = {{0}};
    return key;
}

void* tact_program_cache_load(const tact_program_cache* cache, tact_env* env, const char* name,
                              const tact_program_key* key, uint32_t* format, size_t* size)
{
    (void)cache;
    (void)env;
    (void)name;
    (void)key;
    (void)format;
    (void)size;
    return NULL;
}

bool tact_program_cache_store(const tact_program_cache* cache, const char* name, const tact_program_key* key,
                              uint32_t format, const void* binary, size_t size)
{
    (void)cache;
    (void)name;
    (void)key;
    (void)format;
    (void)binary;
    (void)size;
    return false;
}

#endif
