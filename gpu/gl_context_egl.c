// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/device_gl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"

// For the types; its macros, which name glad's globals, are not used.
#include <glad/egl.h>

#define FUNCTIONS(X)                                        \
    X(PFNEGLBINDAPIPROC, BindAPI)                           \
    X(PFNEGLCHOOSECONFIGPROC, ChooseConfig)                 \
    X(PFNEGLCREATECONTEXTPROC, CreateContext)               \
    X(PFNEGLCREATEPBUFFERSURFACEPROC, CreatePbufferSurface) \
    X(PFNEGLDESTROYCONTEXTPROC, DestroyContext)             \
    X(PFNEGLDESTROYSURFACEPROC, DestroySurface)             \
    X(PFNEGLGETCURRENTCONTEXTPROC, GetCurrentContext)       \
    X(PFNEGLGETCURRENTDISPLAYPROC, GetCurrentDisplay)       \
    X(PFNEGLGETCURRENTSURFACEPROC, GetCurrentSurface)       \
    X(PFNEGLGETDISPLAYPROC, GetDisplay)                     \
    X(PFNEGLGETERRORPROC, GetError)                         \
    X(PFNEGLGETPROCADDRESSPROC, GetProcAddress)             \
    X(PFNEGLINITIALIZEPROC, Initialize)                     \
    X(PFNEGLMAKECURRENTPROC, MakeCurrent)                   \
    X(PFNEGLQUERYAPIPROC, QueryAPI)                         \
    X(PFNEGLQUERYSTRINGPROC, QueryString)

typedef struct api {
#define X(type, name) type name;
    FUNCTIONS(X)
#undef X
    PFNEGLGETPLATFORMDISPLAYEXTPROC GetPlatformDisplayEXT;  // NULL where there is no EGL_EXT_platform_base
    PFNEGLQUERYDEVICESEXTPROC QueryDevicesEXT;              // likewise
    PFNEGLQUERYDEVICESTRINGEXTPROC QueryDeviceStringEXT;
    PFNEGLQUERYDISPLAYATTRIBEXTPROC QueryDisplayAttribEXT;
} api;

struct tact_egl {
    api egl;
    EGLDisplay display;
    EGLSurface surface;
    EGLContext context;
    bool software;
    uint32_t number, alike;  // of devices that are as good
    char origin[64];
    char renderer[128];

    // What was current in the thread before.
    EGLenum before_api;
    EGLDisplay before_display;
    EGLContext before_context;
    EGLSurface before_draw, before_read;
};

// The reasons why there is no context, one after the other.
typedef struct reasons {
    char text[512];
    size_t used;
} reasons;

static void give_reason(reasons* why, const char* origin, const char* reason, int code)
{
    const int written = snprintf(why->text + why->used, sizeof why->text - why->used, "%s%s: %s (0x%x)",
                                 why->used ? "; " : "", origin, reason, (unsigned)code);
    if (written > 0) why->used += (size_t)written;
    if (why->used >= sizeof why->text) why->used = sizeof why->text - 1;
}

static bool has_word(const char* list, const char* word)
{
    const size_t length = strlen(word);
    while (list && (list = strstr(list, word))) {
        if (list[length] == ' ' || list[length] == '\0') return true;
        list += length;
    }
    return false;
}

static void (*resolve(void* library, PFNEGLGETPROCADDRESSPROC get, const char* name))(void)
{
    void (*function)(void) = tact_platform_symbol(library, name);
    return function || !get ? function : (void (*)(void))get(name);
}

// The library stays open for good: drivers keep threads and exit handlers that would be left without code.
static bool load(api* egl)
{
    static const char* const FILES[] = {"libEGL.so.1", "libEGL.so", "libEGL.dll", "libEGL.dylib"};
    void* library = NULL;
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0] && !library; ++i) {
        library = tact_platform_open_library(FILES[i]);
    }
    if (!library) return false;
    PFNEGLGETPROCADDRESSPROC get = (PFNEGLGETPROCADDRESSPROC)tact_platform_symbol(library, "eglGetProcAddress");
    bool complete = true;
#define X(type, name)                                     \
    egl->name = (type)resolve(library, get, "egl" #name); \
    complete = complete && egl->name != NULL;
    FUNCTIONS(X)
#undef X
    if (!complete) return false;
    // eglGetProcAddress may answer with a stub for any name, so ask the extension string.
    const char* client = egl->QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (has_word(client, "EGL_EXT_platform_base")) {
        egl->GetPlatformDisplayEXT = (PFNEGLGETPLATFORMDISPLAYEXTPROC)resolve(library, get, "eglGetPlatformDisplayEXT");
    }
    const bool device_base = has_word(client, "EGL_EXT_device_base");
    if (has_word(client, "EGL_EXT_platform_device") &&
        (device_base || has_word(client, "EGL_EXT_device_enumeration"))) {
        egl->QueryDevicesEXT = (PFNEGLQUERYDEVICESEXTPROC)resolve(library, get, "eglQueryDevicesEXT");
    }
    if (device_base || has_word(client, "EGL_EXT_device_query")) {
        egl->QueryDeviceStringEXT = (PFNEGLQUERYDEVICESTRINGEXTPROC)resolve(library, get, "eglQueryDeviceStringEXT");
        egl->QueryDisplayAttribEXT = (PFNEGLQUERYDISPLAYATTRIBEXTPROC)resolve(library, get, "eglQueryDisplayAttribEXT");
    }
    return true;
}

// Drops the context. The display is left initialized: eglTerminate ends it for everyone in the process, and EGL does
// not count who uses it.
static void drop(tact_egl* egl)
{
    if (egl->context != EGL_NO_CONTEXT) egl->egl.DestroyContext(egl->display, egl->context);
    if (egl->surface != EGL_NO_SURFACE) egl->egl.DestroySurface(egl->display, egl->surface);
    egl->context = EGL_NO_CONTEXT;
    egl->surface = EGL_NO_SURFACE;
}

static bool create_context(tact_egl* egl, reasons* why)
{
    const api* e = &egl->egl;
    const char* extensions = e->QueryString(egl->display, EGL_EXTENSIONS);
    const bool surfaceless = has_word(extensions, "EGL_KHR_surfaceless_context");
    EGLConfig config = EGL_NO_CONFIG_KHR;
    if (!surfaceless || !has_word(extensions, "EGL_KHR_no_config_context")) {
        const EGLint wanted[] = {EGL_SURFACE_TYPE, surfaceless ? 0 : EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                 EGL_OPENGL_BIT, EGL_NONE};
        EGLint count = 0;
        if (!e->ChooseConfig(egl->display, wanted, &config, 1, &count) || count < 1) {
            give_reason(why, egl->origin, "no configuration for OpenGL", e->GetError());
            return false;
        }
    }
    if (!surfaceless) {
        const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
        egl->surface = e->CreatePbufferSurface(egl->display, config, size);
        if (egl->surface == EGL_NO_SURFACE) {
            give_reason(why, egl->origin, "no surface", e->GetError());
            return false;
        }
    }
    // With notice of resets where that is to be had, so that a lost device is seen.
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 4,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 3,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE,
                                 EGL_NONE,
                                 EGL_NONE};
    EGLint robust[sizeof attributes / sizeof attributes[0]];
    memcpy(robust, attributes, sizeof robust);
    robust[6] = EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY;
    robust[7] = EGL_LOSE_CONTEXT_ON_RESET;
    egl->context = e->CreateContext(egl->display, config, EGL_NO_CONTEXT, robust);
    if (egl->context == EGL_NO_CONTEXT) {
        (void)e->GetError();
        egl->context = e->CreateContext(egl->display, config, EGL_NO_CONTEXT, attributes);
    }
    if (egl->context == EGL_NO_CONTEXT) give_reason(why, egl->origin, "no OpenGL 4.3 core context", e->GetError());
    return egl->context != EGL_NO_CONTEXT;
}

// Whether the display's device says that it is software, whatever its renderer is called.
static bool is_software_display(const tact_egl* egl)
{
    EGLAttrib device = 0;
    const api* e = &egl->egl;
    if (!e->QueryDisplayAttribEXT || !e->QueryDeviceStringEXT) return false;
    if (!e->QueryDisplayAttribEXT(egl->display, EGL_DEVICE_EXT, &device) || !device) return false;
    return has_word(e->QueryDeviceStringEXT((EGLDeviceEXT)device, EGL_EXTENSIONS), "EGL_MESA_device_software");
}

// Tries one display. True when it gave a context that can be made current.
static bool try_display(tact_env* env, tact_egl* egl, EGLDisplay display, reasons* why)
{
    const api* e = &egl->egl;
    EGLint major = 0, minor = 0;
    egl->display = display;
    if (display == EGL_NO_DISPLAY) {
        give_reason(why, egl->origin, "no display", e->GetError());
        return false;
    }
    if (!e->Initialize(display, &major, &minor)) {
        give_reason(why, egl->origin, "does not start", e->GetError());
        return false;
    }
    const EGLenum before = e->QueryAPI();
    if (!e->BindAPI(EGL_OPENGL_API)) {
        give_reason(why, egl->origin, "has no OpenGL", e->GetError());
        return false;
    }
    bool good = create_context(egl, why);
    if (before != EGL_NONE) e->BindAPI(before);
    if (good && tact_egl_enter(env, egl) != TACT_OK) {
        give_reason(why, egl->origin, tact_last_error(), 0);
        good = false;
    } else if (good) {
        typedef const unsigned char* (*get_string_fn)(unsigned name);
        const get_string_fn get_string = (get_string_fn)e->GetProcAddress("glGetString");
        const char* renderer = get_string ? (const char*)get_string(0x1F01u /* GL_RENDERER */) : NULL;
        snprintf(egl->renderer, sizeof egl->renderer, "%s", renderer ? renderer : "?");
        egl->software = tact_gl_renderer_is_software(egl->renderer) || is_software_display(egl);
        tact_egl_leave(egl);
    }
    if (!good) drop(egl);
    return good;
}

// Keeps a hardware renderer; keeps a software one until something better comes. True when there is nothing better.
static bool consider(tact_env* env, tact_egl* best, EGLenum platform, void* native, const char* origin, reasons* why)
{
    tact_egl candidate = {.egl = best->egl, .surface = EGL_NO_SURFACE, .context = EGL_NO_CONTEXT};
    snprintf(candidate.origin, sizeof candidate.origin, "%s", origin);
    const EGLDisplay display = platform == EGL_NONE ? best->egl.GetDisplay(EGL_DEFAULT_DISPLAY)
                                                    : best->egl.GetPlatformDisplayEXT(platform, native, NULL);
    if (!try_display(env, &candidate, display, why)) return false;
    if (best->context != EGL_NO_CONTEXT && candidate.software) {
        drop(&candidate);
        return false;
    }
    drop(best);
    *best = candidate;
    return !candidate.software;
}

// Devices that EGL lists, those of hardware first.
typedef struct listed_devices {
    EGLDeviceEXT all[32];
    uint32_t count, hardware;
} listed_devices;

static listed_devices list_devices(const api* e)
{
    enum { MOST = 32 };
    EGLDeviceEXT devices[MOST], software[MOST];
    EGLint count = 0;
    listed_devices found = {.count = 0};
    if (!e->QueryDevicesEXT || !e->QueryDevicesEXT(MOST, devices, &count)) return found;
    uint32_t others = 0;
    for (EGLint i = 0; i < count; ++i) {
        // Mesa names its software device.
        const char* extensions = e->QueryDeviceStringEXT ? e->QueryDeviceStringEXT(devices[i], EGL_EXTENSIONS) : NULL;
        if (has_word(extensions, "EGL_MESA_device_software")) {
            software[others++] = devices[i];
        } else {
            found.all[found.hardware++] = devices[i];
        }
    }
    found.count = found.hardware + others;
    for (uint32_t i = 0; i < others; ++i)
        found.all[found.hardware + i] = software[i];
    return found;
}

// From hardware number `number` on.
static bool consider_devices(tact_env* env, tact_egl* best, const listed_devices* devices, uint32_t number,
                             reasons* why)
{
    for (uint32_t i = 0; i < devices->count; ++i) {
        // No need to start a second one that is software.
        if (best->context != EGL_NO_CONTEXT && i >= devices->hardware) continue;
        const uint32_t k = i < devices->hardware ? (number + i) % devices->hardware : i;
        char origin[32];
        snprintf(origin, sizeof origin, "EGL device %u", (unsigned)k);
        if (!consider(env, best, EGL_PLATFORM_DEVICE_EXT, devices->all[k], origin, why)) continue;
        best->number = k;
        return true;
    }
    return false;
}

tact_result tact_egl_open(tact_env* env, uint32_t number, tact_egl** egl)
{
    *egl = NULL;
    tact_egl best = {.surface = EGL_NO_SURFACE, .context = EGL_NO_CONTEXT};
    if (!load(&best.egl)) return tact_fail(env, TACT_ERROR_NO_DEVICE, "there is no EGL library (libEGL.so.1)");
    reasons why = {{0}, 0};
    const char* client = best.egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const listed_devices devices = list_devices(&best.egl);
    const bool several = best.egl.GetPlatformDisplayEXT && devices.hardware > 1;
    bool done = several && consider_devices(env, &best, &devices, number % devices.hardware, &why);
    if (!done && best.egl.GetPlatformDisplayEXT && has_word(client, "EGL_MESA_platform_surfaceless")) {
        done = consider(env, &best, EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, "EGL surfaceless", &why);
    }
    if (!done && !several && best.egl.GetPlatformDisplayEXT) consider_devices(env, &best, &devices, 0, &why);
    if (best.context == EGL_NO_CONTEXT) consider(env, &best, EGL_NONE, NULL, "EGL default display", &why);
    if (best.context == EGL_NO_CONTEXT) {
        return tact_fail(env, TACT_ERROR_NO_DEVICE, "no headless OpenGL 4.3 context: %s", why.text);
    }
    tact_egl* kept = tact_allocate(env, 1, sizeof *kept);
    if (!kept) {
        drop(&best);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    best.alike = devices.hardware > 0 ? devices.hardware : 1;
    *kept = best;
    *egl = kept;
    return TACT_OK;
}

void tact_egl_close(tact_env* env, tact_egl* egl)
{
    if (!egl) return;
    drop(egl);
    tact_release(env, egl);
}

tact_result tact_egl_enter(tact_env* env, tact_egl* egl)
{
    const api* e = &egl->egl;
    egl->before_api = e->QueryAPI();
    egl->before_display = e->GetCurrentDisplay();
    egl->before_context = e->GetCurrentContext();
    egl->before_draw = e->GetCurrentSurface(EGL_DRAW);
    egl->before_read = e->GetCurrentSurface(EGL_READ);
    e->BindAPI(EGL_OPENGL_API);
    if (e->MakeCurrent(egl->display, egl->surface, egl->surface, egl->context)) return TACT_OK;
    const EGLint code = e->GetError();
    if (egl->before_api != EGL_NONE) e->BindAPI(egl->before_api);
    if (code == EGL_CONTEXT_LOST) return tact_fail(env, TACT_ERROR_DEVICE_LOST, "the OpenGL context was lost");
    return tact_fail(env, TACT_ERROR_DEVICE,
                     "the OpenGL context cannot be made current (EGL error 0x%x); a thread that has a context of "
                     "another window system (GLX, WGL) current must let the library adopt that one",
                     (unsigned)code);
}

void tact_egl_leave(tact_egl* egl)
{
    const api* e = &egl->egl;
    if (egl->before_context == EGL_NO_CONTEXT) {
        e->MakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (egl->before_api != EGL_NONE) e->BindAPI(egl->before_api);
    } else {
        if (egl->before_api != EGL_NONE) e->BindAPI(egl->before_api);
        e->MakeCurrent(egl->before_display, egl->before_draw, egl->before_read, egl->before_context);
    }
}

tact_gl_function tact_egl_function(const tact_egl* egl, const char* name)
{
    return (tact_gl_function)egl->egl.GetProcAddress(name);
}

bool tact_egl_is_software(const tact_egl* egl)
{
    return egl->software;
}

uint32_t tact_egl_number(const tact_egl* egl, uint32_t* alike)
{
    *alike = egl->alike;
    return egl->number;
}

bool tact_gl_renderer_is_software(const char* renderer)
{
    static const char* const NAMES[] = {"llvmpipe",    "softpipe",        "SwiftShader", "swrast",
                                        "Software Ra", "Software Re",     "lavapipe",    "OpenSWR",
                                        "Mesa X11",    "Microsoft Basic", "GDI Generic"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        if (strstr(renderer, NAMES[i])) return true;
    }
    return false;
}
