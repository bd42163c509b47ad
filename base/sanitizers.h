// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Which sanitizer this is compiled for: some code has to be kind to them.
#ifndef TACT_CORE_SANITIZERS_H
#define TACT_CORE_SANITIZERS_H

#if defined(__SANITIZE_THREAD__)
#define TACT_TSAN 1
#elif defined(__SANITIZE_ADDRESS__)
#define TACT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TACT_TSAN 1
#elif __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define TACT_SANITIZED 1
#endif
#endif

/// Any sanitizer that follows memory.
#if defined(TACT_TSAN)
#define TACT_SANITIZED 1
#endif

#endif
