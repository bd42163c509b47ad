// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file tact.hpp
/// The whole interface for C++17 and later, header only: a class that owns each object, arrays as spans, ids as types
/// of their own, errors as exceptions. Structs and enumerations are those of the C headers. A function without a
/// comment calls the function of C that it names, whose comment holds: it returns what that writes. docs/integration.md
/// is the guide.
///
/// An object is made by its class's create(), from what the function of C takes, a desc that is left out being NULL. It
/// is moved but not copied; get() is the pointer for functions of C. Objects must be destroyed before the context they
/// were made from, so declare them after it.
///
/// A function that fails throws tact::error. Compiled without exceptions each function that may fail returns a
/// tact::result instead of its value. No exception may leave a callback: it would end the program.
///
/// Lists are written to a span of the caller's, as many as fit, and the function returns how many there are.

#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#if __cplusplus >= 202002L
#include <span>
#endif

#include "tact/tact.h"

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define TACT_HPP_THROWS 1
#include <stdexcept>
#else
#define TACT_HPP_THROWS 0
#endif

namespace tact {

#if defined(__cpp_lib_span)
template <class T> using span = std::span<T>;
#else
/// Refers to an array of the caller's. With C++20 it is std::span.
template <class T> class span {
public:
    constexpr span() = default;
    constexpr span(T* data, size_t size) : data_(data), size_(size) {}
    template <size_t N> constexpr span(T (&array)[N]) : data_(array), size_(N) {}
    /// Refers to what a std::vector, a std::array or another span holds.
    template <class C, class E = std::remove_pointer_t<decltype(std::declval<C&>().data())>,
              class = std::enable_if_t<std::is_convertible_v<E (*)[], T (*)[]> &&
                                       (std::is_lvalue_reference_v<C> || std::is_const_v<T>)>,
              class = decltype(std::declval<C&>().size())>
    constexpr span(C&& container) : data_(container.data()), size_(container.size())
    {
    }
    constexpr T* data() const { return data_; }
    constexpr size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T* begin() const { return data_; }
    constexpr T* end() const { return data_ + size_; }
    constexpr T& operator[](size_t i) const { return data_[i]; }

private:
    T* data_ = nullptr;
    size_t size_ = 0;
};
#endif

template <class T> using in = span<const T>;  ///< An array that a function reads.
template <class T> using out = span<T>;       ///< An array that a function writes.

/// A number of the library's, as a type that no other kind of id converts to. An array of them is an array of numbers.
template <class Tag, class Number = uint32_t> struct id {
    Number value;  ///< as the functions and structs of C have it
    id() = default;
    constexpr explicit id(Number number) : value(number) {}
    friend constexpr bool operator==(id a, id b) { return a.value == b.value; }
    friend constexpr bool operator!=(id a, id b) { return a.value != b.value; }
    friend constexpr bool operator<(id a, id b) { return a.value < b.value; }
};
using mesh_id = id<struct mesh_tag>;                   ///< A mesh of a scene; `object` of a pick.
using instance_id = id<struct instance_tag>;           ///< An instance of a scene; `instance` of a hit or a pick.
using body_id = id<struct body_tag>;                   ///< A body of a set; `a` and `b` of a contact.
using volume_id = id<struct volume_tag>;               ///< A volume of a set; `a` and `b` of a pair.
using particle_id = id<struct particle_tag>;           ///< A particle of a system.
using collider_id = id<struct collider_tag>;           ///< A collider of a particle system.
using body_id = id<struct body_tag>;                   ///< A mesh or height field of a particle system.
using emitter_id = id<struct emitter_tag>;             ///< An emitter of a particle system.
using sink_id = id<struct sink_tag>;                   ///< A sink of a particle system.
using material_id = id<struct material_tag, uint8_t>;  ///< A material of a particle system.
using group_id = id<struct group_tag, uint8_t>;        ///< A group of particles.

/// A 3 x 4 matrix in row-major order: of an instance, a pose.
using matrix = std::array<float, 12>;
/// The matrix that moves nothing.
inline constexpr matrix identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// What depends on exceptions has other names with them than without, so that one program may hold both.
#if TACT_HPP_THROWS
inline namespace throwing {

/// Is thrown when a call fails. what() is the sentence that tact_last_error() has.
class error : public std::runtime_error {
public:
    error(tact_result code, const char* text) : std::runtime_error(text), code_(code) {}
    /// Returns the result of the call.
    tact_result code() const noexcept { return code_; }

private:
    tact_result code_;
};

/// The value of a function that may fail.
template <class T = void> using returns = T;
#else
inline namespace returning {

/// Whether a function succeeded.
template <class T> class [[nodiscard]] result;
template <> class [[nodiscard]] result<void> {
public:
    result(tact_result code, const char* text) : code_(code), text_(text) {}
    /// Tests whether the call succeeded.
    explicit operator bool() const { return code_ >= 0; }
    /// Returns the result of the call.
    tact_result code() const { return code_; }
    /// Returns one sentence after an error, valid until the thread's next call.
    const char* what() const { return text_; }

private:
    tact_result code_;
    const char* text_;
};

/// The value of a function that may fail, or why it did.
template <class T> class [[nodiscard]] result : public result<void> {
public:
    result(tact_result code, const char* text, T value) : result<void>(code, text), value_(std::move(value)) {}
    /// Returns the value, which means something only after success.
    T& operator*() { return value_; }
    T* operator->() { return &value_; }

private:
    T value_;
};

template <class T = void> using returns = result<T>;
#endif

namespace detail {

// Ends a function that may fail: with its value, or the error.
template <class T> returns<T> give(tact_result code, T value, const char* text = nullptr)
{
#if TACT_HPP_THROWS
    if (code < 0) throw error(code, text ? text : tact_last_error());
    return value;
#else
    return {code, text ? text : tact_last_error(), std::move(value)};
#endif
}

inline returns<> done(tact_result code, const char* text = nullptr)
{
#if TACT_HPP_THROWS
    if (code < 0) throw error(code, text ? text : tact_last_error());
#else
    return {code, text ? text : tact_last_error()};
#endif
}

// Refuses spans whose lengths do not fit together.
template <class T = void> returns<T> refuse()
{
    constexpr const char* text = "arrays of lengths that do not fit together";
    if constexpr (std::is_void_v<T>)
        return done(TACT_ERROR_INVALID_ARGUMENT, text);
    else
        return give(TACT_ERROR_INVALID_ARGUMENT, T{}, text);
}

// Tests whether each array is left out or has an entry for each of `count` things.
template <class... N> bool fit(size_t count, N... lengths) { return (... && (lengths == 0 || lengths == count)); }

// What functions of C take in place of these.
template <class T> auto c_of(const T& object, int) -> decltype(object.get()) { return object.get(); }
template <class T> T c_of(const T& value, long) { return value; }
template <class T> auto c(const T& value) { return c_of(value, 0); }
template <class T> T* c(span<T> array) { return array.empty() ? nullptr : array.data(); }
template <class Tag, class N> N c(id<Tag, N> number) { return number.value; }
template <class Tag, class N> N* c(span<id<Tag, N>> ids) { return ids.empty() ? nullptr : &ids[0].value; }
template <class Tag, class N> const N* c(span<const id<Tag, N>> ids) { return ids.empty() ? nullptr : &ids[0].value; }
inline const float* c(in<tact_vec3> points) { return points.empty() ? nullptr : &points[0].x; }
inline float* c(out<tact_vec3> points) { return points.empty() ? nullptr : &points[0].x; }
inline const float* c(in<tact_quat> turns) { return turns.empty() ? nullptr : &turns[0].x; }
inline float* c(out<tact_quat> turns) { return turns.empty() ? nullptr : &turns[0].x; }
inline const float* c(const matrix& numbers) { return numbers.data(); }
inline const float (*poses(in<matrix> array))[12]
{
    return array.empty() ? nullptr : reinterpret_cast<const float(*)[12]>(array.data());
}

// The id of an instance that a result names, or is.
template <class R> auto instance_of(const R& result) -> decltype(&result.instance) { return &result.instance; }
inline const uint32_t* instance_of(const instance_id& id) { return &id.value; }

// A callable of the caller's as C passes it.
template <class F> void* user(F& f) { return const_cast<void*>(static_cast<const void*>(std::addressof(f))); }

/// Owns an object of the library, and calls its functions.
template <class Self, class T, auto make, void (*destroy)(T*)> class owner {
public:
    owner() = default;
    owner(owner&& other) noexcept : object_(other.release()) {}
    owner& operator=(owner&& other) noexcept
    {
        if (this != &other) reset(other.release());
        return *this;
    }
    ~owner() { destroy(object_); }
    template <class... A> static returns<Self> create(const A&... from) { return created(make, from_what(from, 0)...); }
    /// Takes over an object that a function of C made.
    static Self adopt(T* object)
    {
        Self self;
        self.reset(object);
        return self;
    }
    /// Returns the object for functions of C; NULL when there is none.
    T* get() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }
    /// Gives up the object, which the caller then destroys.
    T* release() noexcept { return std::exchange(object_, nullptr); }
    /// Destroys the object and takes another one, or none.
    void reset(T* object = nullptr) noexcept { destroy(std::exchange(object_, object)); }

protected:
    // Calls a function that writes an object to its last parameter. One parameter that is left out is NULL.
    template <class F, class... A> static returns<Self> created(F function, A... arguments)
    {
        T* made = nullptr;
        tact_result code;
        if constexpr (std::is_invocable_v<F, A..., T**>)
            code = function(arguments..., &made);
        else
            code = function(arguments..., nullptr, &made);
        return give(code, adopt(made));
    }
    template <class F, class... A> returns<> call(F function, const A&... arguments) const
    {
        return done(function(get(), c(arguments)...));
    }
    // Calls a function whose last parameter takes a value, or the number of an id.
    template <class V, class F, class... A> returns<V> value(F function, const A&... arguments) const
    {
        V value{};
        const tact_result code = function(get(), c(arguments)..., &value);
        return give(code, value);
    }
    template <class Id, class F, class... A> returns<Id> number(F function, const A&... arguments) const
    {
        Id made{};
        const tact_result code = function(get(), c(arguments)..., &made.value);
        return give(code, made);
    }
    // Calls one that may leave something undone. False: it did.
    template <class F, class... A> returns<bool> complete(F function, const A&... arguments) const
    {
        const tact_result code = function(get(), c(arguments)...);
        return give(code, code == TACT_OK);
    }
    // Calls one that returns a list.
    template <class F, class... A> auto list(F function, const A&... arguments) const
    {
        size_t count = 0;
        const auto* const first = function(get(), c(arguments)..., &count);
        return span<std::remove_pointer_t<decltype(first)>>(first, count);
    }

private:
    template <class A> static auto from_what(const A& from, int) -> decltype(from.get()) { return from.get(); }
    template <class A> static const A* from_what(const A& desc, long) { return &desc; }

    T* object_ = nullptr;
};

}  // namespace detail

/// Returns the name of a constant of an enumeration.
inline const char* name(tact_result result) { return tact_result_name(result); }
inline const char* name(tact_backend backend) { return tact_backend_name(backend); }
inline const char* name(tact_pairs_method method) { return tact_pairs_method_name(method); }
inline const char* name(tact_filter_stage stage) { return tact_filter_stage_name(stage); }
inline const char* name(tact_candidate_fate fate) { return tact_candidate_fate_name(fate); }
inline const char* name(tact_recorded_kind kind) { return tact_recorded_kind_name(kind); }

/// How much a context keeps of its last queries.
struct record_size {
    size_t queries, bytes;  ///< that are kept
};

/// Owns a context, which all other objects are made from.
class context : public detail::owner<context, tact_context, tact_context_create, tact_context_destroy> {
public:
    const char* error_text() const { return tact_context_error(get()); }
    uint32_t device_count() const { return tact_context_device_count(get()); }
    auto device(uint32_t index) const { return value<tact_device_info>(tact_context_device, index); }
    auto device_counts(tact_backend backend) const
    {
        return value<tact_device_counts>(tact_context_device_counts, backend);
    }
    const char* missing(tact_backend backend) const { return tact_context_missing(get(), backend); }
    double milliseconds() const { return tact_context_milliseconds(get()); }
    returns<tact_explanation> explain() const { return value<tact_explanation>(tact_explain); }

    /// Calibrates. False: the calibration could not be kept.
    returns<bool> calibrate(const tact_calibrate_options& options = {}) { return complete(tact_calibrate, &options); }
    /// Forgets calibrations. False: a file could not be removed.
    returns<bool> forget_calibration() { return complete(tact_calibration_forget); }
    auto calibration(uint32_t index) { return value<tact_calibration_entry>(tact_calibration_get, index); }
    /// Measures regret. `receive` is a bool(const tact_regret_point&); false cancels.
    template <class F> returns<> measure_regret(F&& receive, const tact_calibrate_options& options = {})
    {
        tact_regret_fn* const pass = [](const tact_regret_point* point, void* user) noexcept -> bool {
            return (*static_cast<std::remove_reference_t<F>*>(user))(*point);
        };
        return call(tact_measure_regret, &options, pass, detail::user(receive));
    }

    auto measure_clump(const tact_clump_shape& shape) const
    {
        return value<tact_clump_measures>(tact_clump_measure, &shape);
    }
    /// Packs spheres into a mesh, as many as there is room for at most. No cells: the default.
    returns<tact_clump_packing> pack_clump(const tact_mesh_view& mesh, out<tact_vec3> positions, out<float> radii,
                                           uint32_t cells = 0) const
    {
        if (!detail::fit(positions.size(), radii.size())) return detail::refuse<tact_clump_packing>();
        return value<tact_clump_packing>(tact_clump_pack, &mesh, static_cast<uint32_t>(positions.size()), cells,
                                         detail::c(positions), radii);
    }

    returns<> save_record(const char* path) { return call(tact_record_save, path); }
    void clear_record() { tact_record_clear(get()); }
    record_size recorded() const
    {
        record_size size{};
        tact_record_size(get(), &size.queries, &size.bytes);
        return size;
    }
};

/// A query that was submitted, or none yet: query::submit(). Cancels it when destroyed, so that the arrays of the
/// answer may be destroyed after it. It stays where it is, since the answer's count is written to it.
class ticket {
public:
    explicit ticket(const context& context) : context_(context.get()) {}
    ticket(const ticket&) = delete;
    ticket& operator=(const ticket&) = delete;
    ~ticket() { cancel(); }
    /// Tests whether there is a query that was not waited for.
    bool pending() const { return number_ != 0; }
    /// Tests whether the answer is there: tact_poll().
    returns<bool> done() const
    {
        bool done = false;
        const tact_result code = tact_poll(context_, number_, &done);
        return detail::give(code, done);
    }
    /// Waits for the answer: tact_wait(). False: it did not fit (TACT_INCOMPLETE).
    returns<bool> wait(tact_query_report* report = nullptr)
    {
        const tact_result code = tact_wait(context_, std::exchange(number_, 0), report);
        return detail::give(code, code == TACT_OK);
    }
    /// Returns how many there are of what the query lists, after waiting.
    size_t count() const { return count_; }
    /// Forgets the query, if there is one: tact_cancel().
    void cancel()
    {
        if (number_) tact_cancel(context_, std::exchange(number_, 0));
    }

private:
    friend class query;
    tact_context* context_;
    tact_ticket number_ = 0;
    size_t count_ = 0;
    uint64_t pieces_ = 0;
};

/// How a query runs. Each function returns the query: query().on(TACT_BACKEND_GL).report(facts)
class query {
public:
    query() = default;
    /// Takes what `options` say, but for their ticket.
    explicit query(const tact_query_options& options) : options_(options) { options_.ticket = nullptr; }
    query& on(tact_backend backend) { return options_.backend = backend, *this; }
    query& threads(int count) { return options_.threads = count, *this; }
    query& shadow(bool yes = true) { return options_.shadow = yes, *this; }
    query& no_fallback(bool yes = true) { return options_.no_fallback = yes, *this; }
    /// Reports progress to a bool(double), which must live until the answer; false cancels.
    template <class F> query& progress(F& callable)
    {
        options_.progress = [](double done, void* user) noexcept -> bool { return (*static_cast<F*>(user))(done); };
        options_.progress_user = detail::user(callable);
        return *this;
    }
    /// Writes facts about how it ran.
    query& report(tact_query_report& facts) { return report_ = &facts, *this; }
    /// Submits the query, whose function returns no count then: ticket::count() does, after ticket::wait(). An earlier
    /// query of the ticket is cancelled.
    query& submit(ticket& ticket) { return ticket_ = &ticket, *this; }
    /// Tests whether the query is submitted.
    bool submitted() const { return ticket_ != nullptr; }

    /// Calls a function of C whose last parameters are options and report.
    template <class F, class... A> tact_result run(F function, const A&... arguments) const
    {
        tact_query_options options = options_;
        if (ticket_) ticket_->cancel();
        if (ticket_) options.ticket = &ticket_->number_;
        return function(detail::c(arguments)..., &options, report_);
    }
    template <class F, class... A> returns<> ask(F function, const A&... arguments) const
    {
        return detail::done(run(function, arguments...));
    }
    /// Calls one that writes the count of a list to `place`.
    template <class F, class... A> returns<size_t> list(size_t*& place, F function, const A&... arguments) const
    {
        size_t own = 0;
        place = count_place(own);
        const tact_result code = run(function, arguments...);
        return detail::give(code, *place);
    }
    /// Returns where a count is written: `own`, or the ticket's.
    size_t* count_place(size_t& own) const { return ticket_ ? &(ticket_->count_ = 0) : &own; }
    uint64_t* pieces_place(uint64_t& own) const { return ticket_ ? &(ticket_->pieces_ = 0) : &own; }

private:
    tact_query_options options_{};
    tact_query_report* report_ = nullptr;
    ticket* ticket_ = nullptr;
};

/// Describes a triangle mesh by its vertices, and three indices of each triangle; none: vertices 0 1 2, 3 4 5, ...
inline tact_mesh_desc triangles(in<tact_vec3> vertices, in<uint32_t> indices = {})
{
    tact_mesh_desc desc{};
    desc.positions = detail::c(vertices);
    desc.vertex_count = vertices.size();
    desc.indices = detail::c(indices);
    desc.triangle_count = (indices.empty() ? vertices.size() : indices.size()) / 3;
    return desc;
}

/// Up to six planes of a frustum or a view, as culling takes them.
struct plane_list {
    std::array<tact_plane, TACT_FRUSTUM_PLANES> planes{};  ///< the first `count` of them
    uint32_t count = 0;                                    ///< of `planes`
    const tact_plane* data() const { return planes.data(); }
    size_t size() const { return count; }
    const tact_plane* begin() const { return planes.data(); }
    const tact_plane* end() const { return planes.data() + count; }
};
inline plane_list frustum_planes(const tact_frustum& frustum)
{
    plane_list list;
    list.count = tact_cull_frustum(&frustum, list.planes.data());
    return list;
}

/// Owns what makes the separations of two meshes faster; destroy it before them.
class mesh_front : public detail::owner<mesh_front, tact_mesh_front, tact_mesh_front_create, tact_mesh_front_destroy> {
};

/// Owns a mesh with its trees.
class mesh : public detail::owner<mesh, tact_mesh, tact_mesh_create, tact_mesh_destroy> {
public:
    returns<> move_vertices(const float* positions, size_t count, size_t stride = 0)
    {
        return call(tact_mesh_move_vertices, positions, count, stride);
    }
    returns<> move_vertices(in<tact_vec3> vertices) { return move_vertices(detail::c(vertices), vertices.size()); }
    returns<tact_mesh_info> info() const { return value<tact_mesh_info>(tact_mesh_get_info); }
    returns<tact_mesh_desc> desc() const { return value<tact_mesh_desc>(tact_mesh_get_desc); }

    /// Finds how the meshes lie. `relations` takes a tact_mesh_relation for each pose; no poses: one, the identity.
    returns<> overlap(const mesh& other, out<uint8_t> relations, in<matrix> poses = {}, bool solid = false,
                      const query& how = {})
    {
        if (relations.size() < (poses.empty() ? 1 : poses.size())) return detail::refuse();
        const auto* const first = detail::poses(poses);
        const tact_overlap_work work = {first, poses.size(), solid, relations.data(), nullptr, 0, nullptr, {}};
        return how.ask(tact_mesh_overlap, get(), other, &work);
    }
    returns<size_t> overlap_pairs(const mesh& other, out<tact_mesh_pair> pairs, in<matrix> poses = {},
                                  const query& how = {})
    {
        tact_overlap_work work = {detail::poses(poses), poses.size(), false,   nullptr,
                                  detail::c(pairs),     pairs.size(), nullptr, {}};
        return how.list(work.count, tact_mesh_overlap_pairs, get(), other, &work);
    }
    returns<size_t> self_overlap_pairs(out<tact_mesh_pair> pairs, const query& how = {})
    {
        size_t own = 0, *const count = how.count_place(own);
        const tact_result code = how.run(tact_mesh_self_overlap_pairs, get(), pairs, pairs.size(), count);
        return detail::give(code, *count);
    }
    returns<> overlap_segments(const mesh& other, in<tact_mesh_pair> pairs, out<tact_triangle_contact> contacts,
                               in<matrix> poses = {}, const query& how = {})
    {
        if (contacts.size() < pairs.size()) return detail::refuse();
        const tact_segments_work work = {detail::poses(poses), poses.size(),        detail::c(pairs),
                                         pairs.size(),         detail::c(contacts), {}};
        return how.ask(tact_mesh_overlap_segments, get(), other, &work);
    }
    /// Finds the distance in one pose, if it is at most `limit`. `front` may be NULL.
    returns<tact_mesh_distance> separation(const mesh& other, const matrix& pose = identity,
                                           float limit = std::numeric_limits<float>::infinity(),
                                           const mesh_front* front = nullptr) const
    {
        tact_mesh_front* const kept = front ? front->get() : nullptr;
        return value<tact_mesh_distance>(tact_mesh_separation, other, pose, limit, kept);
    }
};

/// Owns a scene.
class scene : public detail::owner<scene, tact_scene, tact_scene_create, tact_scene_destroy> {
public:
    returns<mesh_id> add(const tact_mesh_desc& desc) { return number<mesh_id>(tact_scene_add_mesh, &desc); }
    auto add(in<tact_sphere> spheres) { return number<mesh_id>(tact_scene_add_spheres, spheres, spheres.size()); }
    returns<mesh_id> add(in<tact_aabb> boxes) { return number<mesh_id>(tact_scene_add_boxes, boxes, boxes.size()); }
    auto add(in<tact_capsule> capsules) { return number<mesh_id>(tact_scene_add_capsules, capsules, capsules.size()); }
    returns<mesh_id> attach(const mesh& source) { return number<mesh_id>(tact_scene_attach_mesh, source); }
    returns<> set_quality(mesh_id mesh, tact_mesh_quality q) { return call(tact_scene_set_quality, mesh, q); }
    returns<> set_alpha(mesh_id mesh, const tact_alpha_desc* alpha) { return call(tact_scene_set_alpha, mesh, alpha); }
    /// Moves the vertices of a mesh, as many as it has, `stride` bytes apart.
    returns<> update(mesh_id mesh, const float* positions, size_t stride, tact_mesh_update how = TACT_UPDATE_AUTO)
    {
        return call(tact_scene_update_mesh, mesh, positions, stride, how);
    }
    returns<> update(mesh_id mesh, in<tact_vec3> vertices, tact_mesh_update how = TACT_UPDATE_AUTO)
    {
        return update(mesh, detail::c(vertices), 0, how);
    }
    returns<> update(mesh_id mesh, const tact_device_array& vertices, size_t stride = 0,
                     tact_mesh_update how = TACT_UPDATE_AUTO)
    {
        return call(tact_scene_update_mesh_device, mesh, &vertices, stride, how);
    }
    returns<instance_id> add_instance(mesh_id mesh, const matrix& m = identity)
    {
        return number<instance_id>(tact_scene_add_instance, mesh, m);
    }
    returns<> move_instance(instance_id i, const matrix& m) { return call(tact_scene_move_instance, i, m); }
    returns<> move_instances(in<instance_id> ids, in<matrix> matrices)
    {
        if (!detail::fit(matrices.size(), ids.size())) return detail::refuse();
        return detail::done(tact_scene_move_instances(get(), detail::c(ids), detail::poses(matrices), matrices.size()));
    }
    returns<> remove_instance(instance_id i) { return call(tact_scene_remove_instance, i); }
    returns<> build_on(tact_backend backend) { return call(tact_scene_build_on, backend); }
    returns<> set_mask(instance_id i, uint32_t mask) { return call(tact_scene_set_mask, i, mask); }
    returns<> set_dynamic(instance_id i, bool moves) { return call(tact_scene_set_dynamic, i, moves); }
    returns<> set_user_data(instance_id i, uint64_t data) { return call(tact_scene_set_user_data, i, data); }
    returns<> set_user_data(mesh_id mesh, uint64_t data) { return call(tact_scene_set_mesh_user_data, mesh, data); }
    /// Gets the user data of the instances of results: an array of hits, of picks, of ids.
    template <class C> returns<> user_data(const C& results, out<uint64_t> data) const
    {
        return look_up(tact_scene_get_user_data, results, data);
    }
    /// Gets the user data of their meshes.
    template <class C> returns<> mesh_user_data(const C& results, out<uint64_t> data) const
    {
        return look_up(tact_scene_get_mesh_user_data, results, data);
    }
    returns<> commit() { return call(tact_scene_commit); }
    returns<tact_scene_stats> stats() const { return value<tact_scene_stats>(tact_scene_get_stats); }

    returns<> raycast(in<tact_ray> rays, out<tact_hit> hits, tact_ray_mode mode = TACT_RAY_CLOSEST,
                      const query& how = {})
    {
        if (hits.size() < rays.size()) return detail::refuse();
        return how.ask(tact_raycast, get(), mode, rays, rays.size(), hits);
    }
    /// Casts rays by rules, with arrays of devices: tact_raycast_with().
    returns<> raycast(const tact_raycast_work& work, const query& how = {})
    {
        return how.ask(tact_raycast_with, get(), &work);
    }
    /// Finds every hit, with one more offset than there are rays. Returns the number of hits, unless it is submitted:
    /// then the last offset has it.
    returns<size_t> raycast_all(in<tact_ray> rays, out<uint64_t> offsets, out<tact_hit> hits,
                                const tact_ray_rules* rules = nullptr, uint32_t max_hits = 0, const query& how = {})
    {
        if (offsets.size() <= rays.size()) return detail::refuse<size_t>();
        const tact_raycast_all_work work = {detail::c(rays), rays.size(),     max_hits,    rules,
                                            offsets.data(),  detail::c(hits), hits.size(), {}};
        const tact_result code = how.run(tact_raycast_all, get(), &work);
        return detail::give(code, code < 0 || how.submitted() ? 0 : static_cast<size_t>(offsets[rays.size()]));
    }
    returns<> closest_points(in<tact_closest_query> points, out<tact_closest_hit> hits, const query& how = {})
    {
        if (hits.size() < points.size()) return detail::refuse();
        return how.ask(tact_closest_points, get(), points, points.size(), hits);
    }
    returns<> locate_points(in<tact_closest_query> points, out<tact_point_location> locations, const query& how = {})
    {
        if (locations.size() < points.size()) return detail::refuse();
        return how.ask(tact_locate_points, get(), points, points.size(), locations);
    }
    returns<> spherecast(in<tact_sphere_cast> casts, out<tact_sphere_hit> hits, const query& how = {})
    {
        if (hits.size() < casts.size()) return detail::refuse();
        return how.ask(tact_spherecast, get(), casts, casts.size(), hits);
    }
    /// Finds the instances in view from `first` on: tact_cull_scene(). `classes`: none, or one for each id.
    returns<size_t> cull(in<tact_plane> planes, out<instance_id> ids, out<uint8_t> classes = {},
                         instance_id first = instance_id(0), const query& how = {})
    {
        if (!detail::fit(ids.size(), classes.size())) return detail::refuse<size_t>();
        const tact_cull_scene_work work = {detail::c(planes), static_cast<uint32_t>(planes.size()), first.value, {}};
        tact_cull_room room = {detail::c(ids), ids.size(), nullptr, detail::c(classes)};
        return how.list(room.count, tact_cull_scene, get(), &work, &room);
    }

private:
    template <class F, class C> returns<> look_up(F function, const C& results, out<uint64_t> data) const
    {
        const auto* const first = std::data(results);
        const size_t count = std::size(results), stride = sizeof *first;
        if (data.size() < count) return detail::refuse();
        return call(function, count > 0 ? detail::instance_of(*first) : nullptr, stride, count, data);
    }
};

/// Makes a bool(size_t, const tact_ray&, const tact_hit&) decide which hits count, as tact_ray_accept_fn does: in
/// several threads. It must live as long as the rules.
template <class F> void set_accept(tact_ray_rules& rules, F& callable)
{
    rules.accept = [](size_t ray_index, const tact_ray* ray, const tact_hit* hit, void* user) noexcept -> bool {
        return (*static_cast<F*>(user))(ray_index, *ray, *hit);
    };
    rules.accept_user = detail::user(callable);
}

namespace detail {
template <class V> tact_cull_work work_of(tact_cull_kind kind, span<const V> volumes, in<tact_plane> planes)
{
    return {kind, c(volumes), volumes.size(), c(planes), static_cast<uint32_t>(planes.size()), nullptr, 0, {}};
}
}  // namespace detail

/// Describes which volumes to cull, by planes; `boxes` of the result may be set too.
inline tact_cull_work cull_work(in<tact_aabb> volumes, in<tact_plane> planes = {})
{
    return detail::work_of(TACT_CULL_AABBS, volumes, planes);
}
inline tact_cull_work cull_work(in<tact_sphere> volumes, in<tact_plane> planes = {})
{
    return detail::work_of(TACT_CULL_SPHERES, volumes, planes);
}
inline tact_cull_work cull_work(in<tact_obb> volumes, in<tact_plane> planes = {})
{
    return detail::work_of(TACT_CULL_OBBS, volumes, planes);
}
inline tact_cull_work cull_work(in<tact_kdop> volumes, in<tact_plane> planes = {})
{
    return detail::work_of(TACT_CULL_KDOPS, volumes, planes);
}

/// Owns a culler.
class culler : public detail::owner<culler, tact_culler, tact_culler_create, tact_culler_destroy> {
public:
    /// Culls: tact_cull_volumes(). `ids`: places in the array of volumes. `classes`: none, or one for each volume.
    returns<size_t> cull(const tact_cull_work& work, out<uint32_t> ids, out<uint8_t> classes = {},
                         const query& how = {})
    {
        if (!detail::fit(work.count, classes.size())) return detail::refuse<size_t>();
        tact_cull_room room = {detail::c(ids), ids.size(), nullptr, detail::c(classes)};
        return how.list(room.count, tact_cull_volumes, get(), &work, &room);
    }
    span<const uint32_t> last() const { return list(tact_cull_last); }
};

/// Owns a cloud of points, whose ids are their places.
class point_cloud
    : public detail::owner<point_cloud, tact_point_cloud, tact_point_cloud_create, tact_point_cloud_destroy> {
public:
    static returns<point_cloud> create(const context& context, in<tact_vec3> points)
    {
        return created(tact_point_cloud_create, context.get(), points.data(), points.size());
    }
    returns<> replace(in<tact_vec3> points) { return call(tact_point_cloud_replace, points.data(), points.size()); }
    size_t count() const { return tact_point_cloud_count(get()); }
    /// Finds so many points nearest to each query: tact_cloud_nearest(). `neighbours`: so many for each query;
    /// `counts`: none, or one for each.
    returns<> find_nearest(in<tact_closest_query> queries, uint32_t nearest, out<tact_cloud_neighbour> neighbours,
                           out<uint32_t> counts = {}, const query& how = {})
    {
        if (!detail::fit(queries.size(), counts.size())) return detail::refuse();
        if (nearest > 0 && neighbours.size() / nearest < queries.size()) return detail::refuse();
        const tact_cloud_nearest_work work = {
            detail::c(queries), queries.size(), nearest, detail::c(neighbours), detail::c(counts), {}};
        return how.ask(tact_cloud_nearest, get(), &work);
    }
    /// Finds the points within each query's distance, with one more offset than there are queries. Returns the number
    /// of ids, unless it is submitted: then the last offset has it.
    returns<size_t> find_within(in<tact_closest_query> queries, out<uint64_t> offsets, out<uint32_t> ids,
                                const query& how = {})
    {
        if (offsets.size() <= queries.size()) return detail::refuse<size_t>();
        const tact_cloud_within_work work = {detail::c(queries), queries.size(), offsets.data(), detail::c(ids),
                                             ids.size(),         nullptr,        {}};
        const tact_result code = how.run(tact_cloud_within, get(), &work);
        return detail::give(code, code < 0 || how.submitted() ? 0 : static_cast<size_t>(offsets[queries.size()]));
    }
    /// Finds whether there is a point within each query's distance: 1 or 0.
    returns<> touch(in<tact_closest_query> queries, out<uint8_t> touched, const query& how = {})
    {
        if (touched.size() < queries.size()) return detail::refuse();
        const tact_cloud_within_work work = {
            detail::c(queries), queries.size(), nullptr, nullptr, 0, detail::c(touched), {}};
        return how.ask(tact_cloud_within, get(), &work);
    }
};

/// Owns a tree of boxes whose contents the caller knows: tact/geometry/volume_tree.h. What is called during a search
/// must not throw.
class volume_tree
    : public detail::owner<volume_tree, tact_volume_tree, tact_volume_tree_create, tact_volume_tree_destroy> {
public:
    static returns<volume_tree> create(in<tact_aabb> boxes,
                                       tact_volume_tree_quality quality = TACT_VOLUME_TREE_MEDIUM)
    {
        return created(tact_volume_tree_create, boxes.data(), boxes.size(), quality, nullptr);
    }
    /// Puts a box in. Returns its id.
    returns<uint32_t> insert(const tact_aabb& box)
    {
        uint32_t id = TACT_VOLUME_TREE_NONE;
        const tact_result code = tact_volume_tree_insert(get(), box, &id);
        return detail::give(code, id);
    }
    returns<> remove(uint32_t id) { return detail::done(tact_volume_tree_remove(get(), id)); }
    returns<> move(uint32_t id, const tact_aabb& box) { return detail::done(tact_volume_tree_move(get(), id, box)); }
    returns<> refit(in<tact_aabb> boxes)
    {
        return detail::done(tact_volume_tree_refit(get(), boxes.data(), boxes.size()));
    }
    returns<> rebuild(tact_volume_tree_quality quality)
    {
        return detail::done(tact_volume_tree_rebuild(get(), quality));
    }
    /// Calls a bool(uint32_t id), where false ends the search, for each box that shares a point with `box`.
    template <class F> bool each_in_box(const tact_aabb& box, F&& found) const
    {
        return tact_volume_tree_each_in_box(get(), box, pass_id<F>, detail::user(found));
    }
    /// The same for a sphere.
    template <class F> bool each_in_sphere(const tact_sphere& sphere, F&& found) const
    {
        return tact_volume_tree_each_in_sphere(get(), sphere, pass_id<F>, detail::user(found));
    }
    /// The same for a frustum.
    template <class F> bool each_in_frustum(const tact_frustum& frustum, F&& found) const
    {
        return tact_volume_tree_each_in_frustum(get(), &frustum, pass_id<F>, detail::user(found));
    }
    /// Calls a float(uint32_t id, const tact_ray&, float end) for boxes on a ray; it returns the new end.
    template <class F> float each_on_ray(const tact_ray& ray, F&& met) const
    {
        tact_volume_ray_fn* const pass = [](uint32_t id, const tact_ray* along, float end, void* user) noexcept {
            return (*static_cast<std::remove_reference_t<F>*>(user))(id, *along, end);
        };
        return tact_volume_tree_ray(get(), &ray, pass, detail::user(met));
    }
    /// Calls a bool(uint32_t a, uint32_t b) for each pair of boxes that share a point; of one tree with itself once.
    template <class F> bool each_pair(const volume_tree& other, F&& found, tact_descent rule = TACT_DESCEND_BOTH) const
    {
        tact_volume_pair_fn* const pass = [](uint32_t a, uint32_t b, void* user) noexcept -> bool {
            return (*static_cast<std::remove_reference_t<F>*>(user))(a, b);
        };
        return tact_volume_tree_each_pair(get(), other.get(), rule, pass, detail::user(found));
    }

private:
    template <class F> static bool pass_id(uint32_t id, void* user) noexcept
    {
        return (*static_cast<std::remove_reference_t<F>*>(user))(id);
    }
};

/// Owns where a search for pairs of two trees of volumes has ended. The functions of C take it.
class volume_front
    : public detail::owner<volume_front, tact_volume_front, tact_volume_front_create, tact_volume_front_destroy> {};

/// Owns cells that are full or empty. The functions of tact/geometry/voxels.h take it.
class voxels : public detail::owner<voxels, tact_voxels, tact_voxels_create, tact_voxels_destroy> {};

/// Owns a loose octree. The functions of tact/geometry/octree.h take it.
class loose_octree
    : public detail::owner<loose_octree, tact_loose_octree, tact_loose_octree_create, tact_loose_octree_destroy> {};

/// Owns cells and portals. The functions of tact/geometry/portals.h take it.
class portals : public detail::owner<portals, tact_portals, tact_portals_create, tact_portals_destroy> {};

/// Owns rows of bits over boxes. The functions of tact/geometry/implicit_grid.h take it.
class implicit_grid
    : public detail::owner<implicit_grid, tact_implicit_grid, tact_implicit_grid_create, tact_implicit_grid_destroy> {};

/// Owns memory that a device transfers from and to without a copy on the way.
class pinned : public detail::owner<pinned, tact_pinned, tact_pinned_create, tact_pinned_destroy> {
public:
    static returns<pinned> create(const context& context, size_t bytes, tact_backend backend = TACT_BACKEND_AUTO)
    {
        return created(tact_pinned_create, context.get(), backend, bytes);
    }
    size_t size() const { return tact_pinned_size(get()); }
    bool is_direct() const { return tact_pinned_is_direct(get()); }
    /// Returns the memory as an array of as many as fit.
    template <class T> out<T> as() const
    {
        static_assert(std::is_trivially_copyable_v<T>, "bytes are copied");
        return out<T>(static_cast<T*>(tact_pinned_data(get())), size() / sizeof(T));
    }
};

/// Owns a set of volumes. Arrays beside that of volumes are left out or have an entry for each of them.
class volumes : public detail::owner<volumes, tact_volumes, tact_volumes_create, tact_volumes_destroy> {
public:
    returns<> add(in<tact_aabb> boxes, out<volume_id> ids = {}, in<tact_categories> categories = {},
                  in<uint64_t> user_data = {})
    {
        if (!detail::fit(boxes.size(), ids.size(), categories.size(), user_data.size())) return detail::refuse();
        return call(tact_volumes_add_aabbs, boxes, boxes.size(), categories, user_data, ids);
    }
    returns<> add(in<tact_sphere> spheres, out<volume_id> ids = {}, in<tact_categories> categories = {},
                  in<uint64_t> user_data = {})
    {
        if (!detail::fit(spheres.size(), ids.size(), categories.size(), user_data.size())) return detail::refuse();
        return call(tact_volumes_add_spheres, spheres, spheres.size(), categories, user_data, ids);
    }
    returns<> remove(in<volume_id> ids) { return call(tact_volumes_remove, ids, ids.size()); }
    void clear() { tact_volumes_clear(get()); }
    /// Moves volumes. No ids: the first ones.
    returns<> move(in<volume_id> ids, in<tact_aabb> boxes)
    {
        if (!detail::fit(boxes.size(), ids.size())) return detail::refuse();
        return call(tact_volumes_move_aabbs, ids, boxes, boxes.size());
    }
    returns<> move(in<volume_id> ids, in<tact_sphere> spheres)
    {
        if (!detail::fit(spheres.size(), ids.size())) return detail::refuse();
        return call(tact_volumes_move_spheres, ids, spheres, spheres.size());
    }
    returns<> set_categories(in<volume_id> ids, in<tact_categories> categories)
    {
        if (!detail::fit(categories.size(), ids.size())) return detail::refuse();
        return call(tact_volumes_set_categories, ids, categories, categories.size());
    }
    returns<> set_user_data(volume_id id, uint64_t data) { return call(tact_volumes_set_user_data, id, data); }
    returns<uint64_t> user_data(volume_id id) const { return value<uint64_t>(tact_volumes_get_user_data, id); }
    bool contains(volume_id id) const { return tact_volumes_contains(get(), id.value); }
    size_t count() const { return tact_volumes_count(get()); }
    size_t id_end() const { return tact_volumes_id_end(get()); }
    returns<tact_aabb> aabb(volume_id id) const { return value<tact_aabb>(tact_volumes_get_aabb, id); }
    returns<tact_sphere> sphere(volume_id id) const { return value<tact_sphere>(tact_volumes_get_sphere, id); }
    returns<> bind(const tact_device_array* array, size_t count) { return call(tact_volumes_bind, array, count); }

    /// Finds the pairs within the set or, where `other` is not NULL, with that: tact_pairs_find().
    returns<size_t> find_pairs(out<tact_pair> pairs, const volumes* other = nullptr,
                               tact_pairs_method method = TACT_PAIRS_AUTO, const query& how = {})
    {
        tact_volumes* const b = other ? other->get() : nullptr;
        return find_pairs({b, method, detail::c(pairs), nullptr, pairs.size(), nullptr, {}}, how);
    }
    /// Finds them by all parameters but the count: for arrays of devices.
    returns<size_t> find_pairs(tact_pairs_work work, const query& how = {})
    {
        return how.list(work.count, tact_pairs_find, get(), &work);
    }
    /// Finds pairs in pieces, for a bool(span<const tact_pair>), where false stops: tact_pairs_each(). Returns how many
    /// there were, unless it is submitted.
    template <class F> returns<uint64_t> each_pair(F&& receive, const volumes* other = nullptr,
                                                   tact_pairs_method method = TACT_PAIRS_AUTO, size_t piece = 0,
                                                   const query& how = {})
    {
        tact_pairs_fn* const pass = [](const tact_pair* pairs, size_t number, void* user) noexcept -> bool {
            return (*static_cast<std::remove_reference_t<F>*>(user))(in<tact_pair>(pairs, number));
        };
        uint64_t count = 0;
        tact_volumes* const b = other ? other->get() : nullptr;
        const tact_pairs_each_work work = {b, method, piece, pass, detail::user(receive), how.pieces_place(count), {}};
        const tact_result code = how.run(tact_pairs_each, get(), &work);
        return detail::give(code, count);
    }
    span<const tact_pair> last_pairs() const { return list(tact_pairs_last); }
    returns<tact_pairs_info> pairs_info() const { return value<tact_pairs_info>(tact_pairs_get_info); }
};

/// Owns a group of ranks; without one it stands for one process alone. tact_mpi_ranks() makes a group to adopt().
class ranks : public detail::owner<ranks, tact_ranks, tact_ranks_create, tact_ranks_destroy> {
public:
    returns<tact_ranks_info> info() const { return value<tact_ranks_info>(tact_ranks_get_info); }

    /// Finds the pairs within the ranks' sets, or between these and others: tact_ranks_find_pairs(). This rank's run of
    /// them is a.last_pairs(), and `before`, unless NULL, how many come before it. Returns how many there are in all.
    returns<uint64_t> find_pairs(const volumes& a, const volumes* other = nullptr,
                                 tact_pairs_method method = TACT_PAIRS_AUTO, uint64_t* before = nullptr,
                                 const query& how = {})
    {
        uint64_t count = 0;
        const tact_ranks_pairs_work work = {other ? other->get() : nullptr, method, &count, before, {}};
        const tact_result code = how.run(tact_ranks_find_pairs, get(), a, &work);
        return detail::give(code, count);
    }
    /// Casts rays against a scene that all ranks have: tact_ranks_raycast().
    returns<> raycast(const scene& scene, const tact_raycast_work& work, const query& how = {})
    {
        return how.ask(tact_ranks_raycast, get(), scene, &work);
    }
    returns<> closest_points(const scene& scene, in<tact_closest_query> points, out<tact_closest_hit> hits,
                             const query& how = {})
    {
        if (hits.size() < points.size()) return detail::refuse();
        return how.ask(tact_ranks_closest_points, get(), scene, points, points.size(), hits);
    }
    returns<> locate_points(const scene& scene, in<tact_closest_query> points, out<tact_point_location> locations,
                            const query& how = {})
    {
        if (locations.size() < points.size()) return detail::refuse();
        return how.ask(tact_ranks_locate_points, get(), scene, points, points.size(), locations);
    }
    returns<> spherecast(const scene& scene, in<tact_sphere_cast> casts, out<tact_sphere_hit> hits,
                         const query& how = {})
    {
        if (hits.size() < casts.size()) return detail::refuse();
        return how.ask(tact_ranks_spherecast, get(), scene, casts, casts.size(), hits);
    }
    /// Casts rays against a scene of which this rank has a part: tact_ranks_raycast_cut(). No ids: they follow those of
    /// the ranks before.
    returns<> raycast_cut(const scene& part, in<instance_id> ids, const tact_raycast_work& work, const query& how = {})
    {
        const tact_ranks_part own = {part.get(), detail::c(ids), ids.size(), {}};
        return how.ask(tact_ranks_raycast_cut, get(), &own, &work);
    }
    /// Finds closest points on such a scene: tact_ranks_closest_points_cut().
    returns<> closest_points_cut(const scene& part, in<instance_id> ids, in<tact_closest_query> points,
                                 out<tact_closest_hit> hits, const query& how = {})
    {
        if (hits.size() < points.size()) return detail::refuse();
        const tact_ranks_part own = {part.get(), detail::c(ids), ids.size(), {}};
        return how.ask(tact_ranks_closest_points_cut, get(), &own, points, points.size(), hits);
    }
    /// Moves spheres through such a scene: tact_ranks_spherecast_cut().
    returns<> spherecast_cut(const scene& part, in<instance_id> ids, in<tact_sphere_cast> casts,
                             out<tact_sphere_hit> hits, const query& how = {})
    {
        if (hits.size() < casts.size()) return detail::refuse();
        const tact_ranks_part own = {part.get(), detail::c(ids), ids.size(), {}};
        return how.ask(tact_ranks_spherecast_cut, get(), &own, casts, casts.size(), hits);
    }
    /// Finds where boxes belong: tact_ranks_cut_space(). `weights`: none, or one for each.
    returns<> cut_space(in<tact_aabb> boxes, out<uint32_t> owners, in<uint64_t> weights = {})
    {
        if (owners.size() < boxes.size() || !detail::fit(boxes.size(), weights.size())) return detail::refuse();
        return call(tact_ranks_cut_space, boxes, weights, boxes.size(), owners);
    }
    /// Gives rank 0 what all ranks have; `all` is used there alone. Returns how many there are.
    template <class T> returns<size_t> collect(span<const T> own, span<T> all)
    {
        uint64_t bytes = 0;
        const tact_result code =
            tact_ranks_collect(get(), own.data(), own.size() * sizeof(T), all.data(), all.size() * sizeof(T), &bytes);
        return detail::give(code, static_cast<size_t>(bytes / sizeof(T)));
    }
};

/// Owns a set of bodies.
class bodies : public detail::owner<bodies, tact_bodies, tact_bodies_create, tact_bodies_destroy> {
public:
    /// Adds a shape. Returns its number.
    returns<uint32_t> add_shape(const tact_body_shape& shape)
    {
        uint32_t number = 0;
        const tact_result code = tact_bodies_add_shape(get(), &shape, &number);
        return detail::give(code, number);
    }
    returns<> add(in<tact_body> what, out<body_id> ids = {})
    {
        if (!detail::fit(what.size(), ids.size())) return detail::refuse();
        return call(tact_bodies_add, what, what.size(), ids);
    }
    returns<> remove(in<body_id> ids) { return call(tact_bodies_remove, ids, ids.size()); }
    /// Moves bodies. No ids: the first ones.
    returns<> move(in<body_id> ids, in<tact_pose> poses)
    {
        if (!detail::fit(poses.size(), ids.size())) return detail::refuse();
        return call(tact_bodies_move, ids, poses, poses.size());
    }
    size_t count() const { return tact_bodies_count(get()); }
    returns<tact_body> body(body_id id) const { return value<tact_body>(tact_bodies_get, id); }
    /// Measures a shape: tact_body_measure().
    returns<tact_body_measures> measure(uint32_t shape, const tact_body_matter& matter = {}, float scale = 1.0f) const
    {
        return value<tact_body_measures>(tact_body_measure, shape, scale, &matter);
    }

    /// Finds the contacts of the set, or of the pairs given: tact_contacts_find().
    returns<size_t> find_contacts(out<tact_contact> contacts, in<tact_pair> pairs = {}, const query& how = {})
    {
        tact_contacts_work work = {detail::c(pairs), pairs.size(), detail::c(contacts), contacts.size(), nullptr, {}};
        return how.list(work.count, tact_contacts_find, get(), &work);
    }
    /// Casts shapes through the set: tact_body_casts_find(). `offsets`: none, or one more than casts.
    returns<size_t> cast(in<tact_body_cast> casts, out<tact_body_cast_hit> hits,
                         tact_body_casts_mode mode = TACT_BODY_CASTS_FIRST, out<uint64_t> offsets = {},
                         const query& how = {})
    {
        if (!detail::fit(casts.size() + 1, offsets.size())) return detail::refuse<size_t>();
        tact_body_casts_work work = {detail::c(casts), casts.size(),        mode,    detail::c(hits),
                                     hits.size(),      detail::c(offsets), nullptr, {}};
        return how.list(work.count, tact_body_casts_find, get(), &work);
    }
    span<const tact_body_cast_hit> last_casts() const { return list(tact_body_casts_last); }
    /// Finds how far the bodies of the pairs given, or of all whose boxes overlap, are from each other:
    /// tact_body_distances_find().
    returns<size_t> find_distances(out<tact_body_distance_row> distances, in<tact_pair> pairs = {},
                                   tact_body_distances_mode mode = TACT_BODY_DISTANCES_CLOSEST, float farthest = 0.0f,
                                   const query& how = {})
    {
        tact_body_distances_work work = {detail::c(pairs),     pairs.size(),     mode,    farthest,
                                         detail::c(distances), distances.size(), nullptr, {}};
        return how.list(work.count, tact_body_distances_find, get(), &work);
    }
    span<const tact_body_distance_row> last_distances() const { return list(tact_body_distances_last); }
    /// Finds the closest body of each item: tact_body_nearest_find().
    returns<size_t> find_nearest(in<tact_body_nearest_item> items, out<tact_body_nearest> nearest,
                                 const query& how = {})
    {
        tact_body_nearest_work work = {detail::c(items), items.size(), detail::c(nearest), nearest.size(), nullptr, {}};
        return how.list(work.count, tact_body_nearest_find, get(), &work);
    }
    span<const tact_body_nearest> last_nearest() const { return list(tact_body_nearest_last); }
    span<const tact_contact> last_contacts() const { return list(tact_contacts_last); }
    /// Compares finds from now on, each with the one before it: tact_contacts_follow().
    returns<> follow_contacts(bool on = true, size_t point_bytes = 0)
    {
        return call(tact_contacts_follow, on, point_bytes);
    }
    returns<tact_contact_changes> contact_changes() const { return value<tact_contact_changes>(tact_contacts_changes); }
};

/// Owns how bodies of a set move; destroy it before the set. Arrays have an entry for each id, or without ids for the
/// first bodies.
class body_grains
    : public detail::owner<body_grains, tact_body_grains, tact_body_grains_create, tact_body_grains_destroy> {
public:
    static returns<body_grains> load(const bodies& set, in<std::byte> bytes)
    {
        return created(tact_body_grains_load, set.get(), bytes.data(), bytes.size());
    }
    /// Writes nothing where there is too little room, and returns how many bytes there are.
    returns<size_t> save(out<std::byte> bytes) { return value<size_t>(tact_body_grains_save, bytes, bytes.size()); }
    returns<> set_law(uint8_t a, uint8_t b, const tact_grain_law& law)
    {
        return call(tact_body_grains_set_law, a, b, &law);
    }
    returns<> set_gravity(tact_vec3 gravity) { return call(tact_body_grains_set_gravity, gravity); }
    returns<> set_matter(in<body_id> ids, const tact_body_matter& matter)
    {
        return call(tact_body_grains_set_matter, ids, ids.size(), &matter, false);
    }
    returns<> set_each_matter(in<body_id> ids, in<tact_body_matter> matter)
    {
        if (!detail::fit(matter.size(), ids.size())) return detail::refuse();
        return call(tact_body_grains_set_matter, ids, matter.size(), matter, true);
    }
    returns<tact_body_measures> measures(body_id id) const
    {
        return value<tact_body_measures>(tact_body_grains_get_measures, id);
    }
    returns<> read(in<body_id> ids, size_t count, const tact_body_grain_arrays& arrays) const
    {
        return call(tact_body_grains_read, ids, count, &arrays);
    }
    returns<> write(in<body_id> ids, in<tact_vec3> velocities, in<tact_vec3> spins = {})
    {
        const size_t count = velocities.empty() ? spins.size() : velocities.size();
        if (!detail::fit(count, ids.size(), velocities.size(), spins.size())) return detail::refuse();
        return call(tact_body_grains_write, ids, count, velocities, spins);
    }
    returns<> set_forces(in<body_id> ids, in<tact_vec3> forces, in<tact_vec3> torques = {})
    {
        const size_t count = forces.empty() ? torques.size() : forces.size();
        if (!detail::fit(count, ids.size(), forces.size(), torques.size())) return detail::refuse();
        return call(tact_body_grains_set_forces, ids, count, forces, torques);
    }
    float stable_step() const { return tact_body_grains_stable_step(get()); }
    /// Moves the bodies on. Substeps 0: as many as stable_step() requires.
    returns<> step(float dt, uint32_t substeps = 0, uint32_t steps = 1, const query& how = {})
    {
        return how.ask(tact_body_grains_step, get(), dt, substeps, steps);
    }
    /// The contacts of the last substep, and what each of them did.
    span<const tact_contact> contacts(const tact_body_grain_push** pushes = nullptr) const
    {
        return list(tact_body_grains_contacts, pushes);
    }
    returns<tact_body_grains_totals> measure() const
    {
        return value<tact_body_grains_totals>(tact_body_grains_measure);
    }
};

/// Owns a tracker of the pairs within a set, or between two; destroy it before them.
class pair_tracker
    : public detail::owner<pair_tracker, tact_pair_tracker, tact_pair_tracker_create, tact_pair_tracker_destroy> {
public:
    returns<> update(tact_pairs_method method = TACT_PAIRS_AUTO, const query& how = {})
    {
        return how.ask(tact_pair_tracker_update, get(), method);
    }
    span<const tact_pair> pairs(tact_pair_change change) const { return list(tact_pair_tracker_pairs, change); }
};

/// Owns a filter of many objects.
class filter : public detail::owner<filter, tact_filter, tact_filter_create, tact_filter_destroy> {
public:
    /// Finds pairs of triangles: tact_filter_meshes(). `stages`: none, or TACT_FILTER_STAGES of them.
    returns<size_t> find_pairs(in<tact_mesh_desc> shapes, in<tact_filter_object> objects, out<tact_filter_pair> pairs,
                               const tact_filter_options& options = {}, out<tact_filter_count> stages = {},
                               const query& how = {})
    {
        if (!detail::fit(TACT_FILTER_STAGES, stages.size())) return detail::refuse<size_t>();
        tact_filter_work work = {detail::c(shapes),  shapes.size(),
                                 detail::c(objects), objects.size(),
                                 &options,           detail::c(pairs),
                                 pairs.size(),       nullptr,
                                 detail::c(stages),  {}};
        return how.list(work.count, tact_filter_meshes, get(), &work);
    }
};

/// Owns a tester of rendered images. There is a test for each result.
class image_tester
    : public detail::owner<image_tester, tact_image_tester, tact_image_tester_create, tact_image_tester_destroy> {
public:
    returns<> convex(const tact_image_body& a, const tact_image_body& b, out<tact_image_result> results,
                     const tact_image_options& options = {}, const tact_image_layers* layers = nullptr,
                     const query& how = {})
    {
        const tact_image_work work = {&a, &b, &options, detail::c(results), results.size(), layers, nullptr, {}};
        return how.ask(tact_image_convex, get(), &work);
    }
    returns<> concave(const tact_image_body& a, const tact_image_body& b, out<tact_image_result> results,
                      const tact_image_options& options = {}, const tact_image_cells* cells = nullptr,
                      const query& how = {})
    {
        const tact_image_work work = {&a, &b, &options, detail::c(results), results.size(), nullptr, cells, {}};
        return how.ask(tact_image_concave, get(), &work);
    }
    static uint32_t slots(uint32_t resolution) { return tact_image_slots(resolution); }
};

inline plane_list pick_planes(const tact_pick_view& view)
{
    plane_list list;
    list.count = tact_pick_planes(&view, list.planes.data());
    return list;
}

/// Owns a picker.
class picker : public detail::owner<picker, tact_picker, tact_picker_create, tact_picker_destroy> {
public:
    /// Picks from a scene: tact_pick_scene().
    returns<size_t> pick(const scene& scene, const tact_pick_view& view, const tact_pick_region& region,
                         out<tact_pick> picks, const tact_pick_options& options = {}, const query& how = {})
    {
        tact_pick_work work = {&view, &region, &options, detail::c(picks), picks.size(), nullptr, {}};
        return how.list(work.count, tact_pick_scene, get(), scene, &work);
    }
    span<const tact_pick> last() const { return list(tact_pick_last); }
};

/// A request to a pick target, or none. Cancels it when destroyed, which must be before the target is.
class pick_request {
public:
    pick_request() = default;
    pick_request(tact_pick_target* target, tact_pick_ticket number) : target_(target), number_(number) {}
    pick_request(pick_request&& other) noexcept : target_(other.target_), number_(std::exchange(other.number_, 0)) {}
    pick_request& operator=(pick_request&& other) noexcept
    {
        std::swap(target_, other.target_);
        std::swap(number_, other.number_);
        return *this;
    }
    ~pick_request() { cancel(); }
    /// Tests whether there is a request that was not answered.
    bool pending() const { return number_ != 0; }
    /// Tests whether the answer is there: tact_pick_target_poll().
    returns<bool> done() const
    {
        bool done = false;
        const tact_result code = tact_pick_target_poll(target_, number_, &done);
        return detail::give(code, done);
    }
    /// Waits for the answer: tact_pick_target_wait(). More picks than fit: the request stays, for a call with more
    /// room.
    returns<size_t> wait(out<tact_pick> picks, uint64_t* revision = nullptr)
    {
        size_t count = 0;
        const tact_result code =
            tact_pick_target_wait(target_, number_, detail::c(picks), picks.size(), &count, revision);
        if (code == TACT_OK) number_ = 0;
        return detail::give(code, count);
    }
    /// Forgets the request, if there is one: tact_pick_target_cancel().
    void cancel()
    {
        if (number_) tact_pick_target_cancel(target_, std::exchange(number_, 0));
    }

private:
    tact_pick_target* target_ = nullptr;
    tact_pick_ticket number_ = 0;
};

/// Owns a target of your own renderer's picks.
class pick_target
    : public detail::owner<pick_target, tact_pick_target, tact_pick_target_create, tact_pick_target_destroy> {
public:
    returns<> resize(uint32_t width, uint32_t height, uint32_t n = 0)
    {
        return call(tact_pick_target_resize, width, height, n);
    }
    static std::string glsl(uint32_t location)
    {
        std::string text(tact_pick_target_glsl(location, nullptr, 0), '\0');
        if (!text.empty()) text.resize(tact_pick_target_glsl(location, &text[0], text.size()) - 1);
        return text;
    }
    std::array<uint32_t, 2> textures() const
    {
        std::array<uint32_t, 2> names{};
        tact_pick_target_textures(get(), names.data());
        return names;
    }
    returns<> attach(uint32_t first) { return call(tact_pick_target_attach, first); }
    returns<> detach() { return call(tact_pick_target_detach); }
    returns<> clear() { return call(tact_pick_target_clear); }
    returns<> drawn(const tact_pick_view& v, int32_t x, int32_t y, uint64_t revision)
    {
        return call(tact_pick_target_drawn, &v, x, y, revision);
    }
    returns<> begin(const tact_pick_view& v, uint64_t revision) { return call(tact_pick_target_begin, &v, revision); }
    returns<> end() { return call(tact_pick_target_end); }
    returns<> draw(const scene& s, const tact_pick_view& v, uint64_t revision)
    {
        return call(tact_pick_target_draw, s, &v, revision);
    }
    bool current(const tact_pick_view& v, uint64_t revision) const
    {
        return tact_pick_target_current(get(), &v, revision);
    }
    returns<pick_request> submit(const tact_pick_region& region, tact_pick_group group = TACT_PICK_BY_INSTANCE)
    {
        tact_pick_ticket number = 0;
        const tact_result code = tact_pick_target_submit(get(), &region, group, &number);
        return detail::give(code, pick_request(get(), number));
    }
    /// Finds the picks of a region: tact_pick_target_query().
    returns<size_t> pick(const tact_pick_region& region, out<tact_pick> picks,
                         tact_pick_group group = TACT_PICK_BY_INSTANCE)
    {
        return value<size_t>(tact_pick_target_query, &region, group, picks, picks.size());
    }
};

/// Owns a particle system.
class particles : public detail::owner<particles, tact_particles, tact_particles_create, tact_particles_destroy> {
public:
    static returns<particles> restore(const context& context, in<std::byte> bytes,
                                      tact_backend backend = TACT_BACKEND_AUTO)
    {
        return created(tact_particles_restore, context.get(), bytes.data(), bytes.size(), backend);
    }
    /// Writes nothing where there is too little room, and returns how many bytes there are.
    returns<size_t> save(out<std::byte> bytes) { return value<size_t>(tact_particles_save, bytes, bytes.size()); }
    /// From a file, from byte `offset` of it on.
    static returns<particles> restore_file(const context& context, const char* path, uint64_t offset = 0,
                                           tact_backend backend = TACT_BACKEND_AUTO)
    {
        return created(tact_particles_restore_file, context.get(), nullptr, path, offset, backend, nullptr);
    }
    /// The same, spread over ranks, which must outlive it.
    static returns<particles> restore_file(const context& context, const ranks& group, const char* path,
                                           uint64_t offset = 0, tact_backend backend = TACT_BACKEND_AUTO,
                                           const tact_particle_ranks_desc& desc = {})
    {
        return created(tact_particles_restore_file, context.get(), group.get(), path, offset, backend, &desc);
    }
    /// The bytes of `head` precede those of the system in the file.
    returns<> save_file(const char* path, in<std::byte> head = {})
    {
        return call(tact_particles_save_file, path, head.data(), head.size());
    }
    /// Adds particles. Arrays of `others` have an entry for each position; so have `ids`, or none.
    returns<> add(in<tact_vec3> positions, tact_particle_arrays others = {}, out<particle_id> ids = {})
    {
        if (!detail::fit(positions.size(), ids.size())) return detail::refuse();
        others.positions = detail::c(positions);
        return call(tact_particles_add, &others, positions.size(), ids);
    }
    returns<> add(const tact_particle_device_arrays& arrays, size_t count, out<particle_id> ids = {})
    {
        if (!detail::fit(count, ids.size())) return detail::refuse();
        return call(tact_particles_add_device, &arrays, count, ids);
    }
    returns<> remove(in<particle_id> ids) { return call(tact_particles_remove, ids, ids.size()); }
    void clear() { tact_particles_clear(get()); }
    size_t count() const { return tact_particles_count(get()); }
    size_t id_end() const { return tact_particles_id_end(get()); }
    returns<> read(const tact_particle_output& output) { return call(tact_particles_read, &output); }
    /// Reads the state: each array is left out or has an entry for each particle.
    returns<> read(out<tact_vec3> positions, out<tact_vec3> velocities = {}, out<particle_id> ids = {})
    {
        if (!detail::fit(count(), positions.size(), velocities.size(), ids.size())) return detail::refuse();
        tact_particle_output output{};
        output.ids = detail::c(ids);
        output.positions = detail::c(positions);
        output.velocities = detail::c(velocities);
        return read(output);
    }
    /// Reads to buffers of a device, either of which may be NULL: tact_particles_read_device().
    returns<> read(const tact_device_array* positions, const tact_device_array* velocities)
    {
        return call(tact_particles_read_device, positions, velocities);
    }
    /// Writes. No ids: all particles. No velocities, or no positions: those stay.
    returns<> write(in<particle_id> ids, in<tact_vec3> positions, in<tact_vec3> velocities = {})
    {
        const size_t number = ids.empty() ? count() : ids.size();
        if (!detail::fit(number, positions.size(), velocities.size())) return detail::refuse();
        return call(tact_particles_write, ids, number, positions, velocities);
    }
    /// Reads how grains turn: each array is left out or has an entry for each particle.
    returns<> read_turning(out<tact_vec3> spins, out<tact_quat> orientations = {})
    {
        if (!detail::fit(count(), spins.size(), orientations.size())) return detail::refuse();
        return call(tact_particles_read_turning, spins, orientations);
    }
    /// Writes how grains turn. No ids: all particles. No spins, or no orientations: those stay.
    returns<> write_turning(in<particle_id> ids, in<tact_vec3> spins, in<tact_quat> orientations = {})
    {
        const size_t number = ids.empty() ? count() : ids.size();
        if (!detail::fit(number, spins.size(), orientations.size())) return detail::refuse();
        return call(tact_particles_write_turning, ids, number, spins, orientations);
    }
    returns<> set_law(material_id a, material_id b, const tact_grain_law& law)
    {
        return call(tact_particles_set_law, a, b, &law);
    }
    returns<> set_bond_law(uint8_t kind, const tact_bond_law& law)
    {
        return call(tact_particles_set_bond_law, kind, &law);
    }
    /// Bonds pairs of grains, two ids each.
    returns<> bond(uint8_t kind, in<particle_id> pairs)
    {
        if (pairs.size() % 2) return detail::refuse();
        return call(tact_particles_bond, kind, pairs, pairs.size() / 2);
    }
    /// Bonds what is near, and returns how many bonds were made.
    returns<size_t> bond_near(uint8_t kind, float gap) { return value<size_t>(tact_particles_bond_near, kind, gap); }
    /// Lists as many bonds as there is room for, and returns how many there are.
    returns<size_t> bonds(out<tact_bond> bonds) { return value<size_t>(tact_particles_bonds, bonds, bonds.size()); }
    /// Takes bonds away, of pairs of grains, two ids each. No ids: all.
    returns<> unbond(in<particle_id> pairs = {})
    {
        if (pairs.size() % 2) return detail::refuse();
        return call(tact_particles_unbond, pairs, pairs.size() / 2);
    }
    /// Adds clumps of one shape. Arrays of `others` have an entry for each position; so have `ids`, or none.
    returns<> add_clumps(const tact_clump_shape& shape, in<tact_vec3> positions, tact_clump_arrays others = {},
                         out<particle_id> ids = {})
    {
        if (!detail::fit(positions.size(), ids.size())) return detail::refuse();
        others.positions = detail::c(positions);
        return call(tact_particles_add_clumps, &shape, &others, positions.size(), ids);
    }
    returns<> remove_clumps(in<particle_id> ids) { return call(tact_particles_remove_clumps, ids, ids.size()); }
    size_t clump_count() const { return tact_particles_clump_count(get()); }
    returns<> read_clumps(const tact_clump_output& output) { return call(tact_particles_read_clumps, &output); }
    /// Writes clumps. No ids: all, in ascending order of id, so that arrays have an entry for each.
    returns<> write_clumps(in<particle_id> ids, const tact_clump_arrays& arrays)
    {
        return call(tact_particles_write_clumps, ids, ids.empty() ? clump_count() : ids.size(), &arrays);
    }
    /// Lists as many ids of a clump's spheres as there is room for, and returns how many there are.
    returns<size_t> clump_spheres(particle_id id, out<particle_id> spheres)
    {
        return value<size_t>(tact_particles_clump_spheres, id, spheres, spheres.size());
    }
    /// Measures what particles exert on surfaces: each array is left out or has an entry for each there is.
    returns<> measure_surfaces(out<tact_surface_load> walls, out<tact_surface_load> colliders = {},
                               out<tact_surface_load> bodies = {})
    {
        if (!walls.empty() && walls.size() != 6) return detail::refuse();
        return call(tact_particles_measure_surfaces, walls, colliders, bodies);
    }
    returns<> set_motion(tact_contact_with kind, uint32_t index, bool moves)
    {
        return call(tact_particles_set_motion, kind, index, moves);
    }
    /// Gives a surface a servo; NULL takes it off.
    returns<> set_servo(tact_contact_with kind, uint32_t index, const tact_servo* servo)
    {
        return call(tact_particles_set_servo, kind, index, servo);
    }
    returns<> set_wear(tact_contact_with kind, uint32_t index, bool counted)
    {
        return call(tact_particles_set_wear, kind, index, counted);
    }
    returns<tact_surface_state> surface(tact_contact_with kind, uint32_t index) const
    {
        return value<tact_surface_state>(tact_particles_get_surface, kind, index);
    }
    /// Sets user data. No ids: of all particles.
    returns<> set_user_data(in<particle_id> ids, in<uint64_t> data)
    {
        if (!ids.empty() && ids.size() != data.size()) return detail::refuse();
        return call(tact_particles_set_user_data, ids, data.size(), data);
    }
    /// Gets user data. No ids: of all particles.
    returns<> user_data(in<particle_id> ids, out<uint64_t> data) const
    {
        if (!ids.empty() && ids.size() != data.size()) return detail::refuse();
        return call(tact_particles_get_user_data, ids, size_t(0), data.size(), data);
    }
    /// Gets the user data of the first particle of each contact.
    returns<> user_data(in<tact_particle_contact> contacts, out<uint64_t> data) const
    {
        if (contacts.size() != data.size()) return detail::refuse();
        const uint32_t* const first = contacts.empty() ? nullptr : &contacts[0].a;
        return call(tact_particles_get_user_data, first, sizeof contacts[0], data.size(), data);
    }
    returns<> set_forces(in<tact_vec3> forces) { return call(tact_particles_set_forces, forces, forces.size()); }
    returns<> set_forces(const tact_device_array& forces, size_t count)
    {
        return call(tact_particles_set_forces_device, &forces, count);
    }
    /// Sets a force program; an empty text takes it off.
    returns<> set_program(const std::string& text, in<tact_program_parameter> parameters = {})
    {
        return call(tact_particles_set_program, text.empty() ? nullptr : text.c_str(), parameters, parameters.size());
    }
    returns<> set_program_parameter(const std::string& name, float value)
    {
        return call(tact_particles_set_program_parameter, name.c_str(), value);
    }
    /// Gets the force program's text if there is room, and returns its bytes with the end, 0 without one.
    returns<size_t> program(out<char> text) const
    {
        return value<size_t>(tact_particles_get_program, text, text.size());
    }
    /// Sets a force function, called as f(call) -> bool. It is not copied: it must outlive the steps.
    template <class F> returns<> set_force_function(F& f)
    {
        tact_force_function* const pass = [](const tact_force_call* frame, void* user) noexcept -> bool {
            return (*static_cast<F*>(user))(*frame);
        };
        return call(tact_particles_set_force_function, pass, static_cast<void*>(&f));
    }
    /// Takes the force function off.
    returns<> clear_force_function() { return call(tact_particles_set_force_function, nullptr, nullptr); }
    returns<> set_gravity(tact_vec3 gravity) { return detail::done(tact_particles_set_gravity(get(), gravity)); }
    returns<> set_contact(material_id a, material_id b, const tact_particle_material& rule)
    {
        return call(tact_particles_set_contact, a, b, &rule);
    }
    returns<> set_mask(group_id group, uint32_t mask) { return call(tact_particles_set_mask, group, mask); }
    float stable_step() const { return tact_particles_stable_step(get()); }
    returns<> step(float dt, uint32_t substeps = 0, uint32_t steps = 1, const query& how = {})
    {
        return how.ask(tact_particles_step, get(), dt, substeps, steps);
    }
    returns<> wait() { return call(tact_particles_wait); }
    returns<size_t> contacts(out<tact_particle_contact> contacts, const query& how = {})
    {
        size_t own = 0, *const count = how.count_place(own);
        const tact_result code = how.run(tact_particles_contacts, get(), contacts, contacts.size(), count);
        return detail::give(code, *count);
    }
    returns<> neighbours(tact_neighbour_lists& lists, float radius, tact_neighbour_kind kind = TACT_NEIGHBOURS_ALL,
                         const query& how = {})
    {
        return how.ask(tact_particles_neighbours, get(), radius, kind, &lists);
    }
    returns<tact_particle_totals> measure() { return value<tact_particle_totals>(tact_particles_measure); }
    /// Lists as many forces as there is room for, and returns how many there are.
    returns<size_t> contact_forces(out<tact_contact_force> forces)
    {
        return value<size_t>(tact_particles_contact_forces, forces, forces.size());
    }
    /// Averages over a grid. There is room for all its cells.
    returns<> average(const tact_average_grid& grid, out<tact_average_cell> cells)
    {
        const uint64_t few = uint64_t(grid.counts[0]) * grid.counts[1];
        if (few > cells.size() || few * grid.counts[2] > cells.size()) return detail::refuse();
        return call(tact_particles_average, &grid, cells);
    }
    returns<tact_particles_info> info() { return value<tact_particles_info>(tact_particles_get_info); }
    /// Spreads the system over ranks, which must outlive it.
    returns<> spread(const ranks& group, const tact_particle_ranks_desc& desc = {})
    {
        return call(tact_particles_spread, group.get(), &desc);
    }
    returns<tact_particle_ranks_info> ranks_info()
    {
        return value<tact_particle_ranks_info>(tact_particles_get_ranks);
    }
    /// Gets those of all ranks, for which there must be room.
    returns<> all_ranks(out<tact_particle_ranks_info> infos) { return call(tact_particles_get_all_ranks, infos); }
    returns<tact_aabb> domain(std::array<tact_boundary, 3>* boundary = nullptr) const
    {
        tact_aabb box{};
        const tact_result code = tact_particles_get_domain(get(), boundary ? boundary->data() : nullptr, &box);
        return detail::give(code, box);
    }
    auto device_buffers() { return value<tact_particle_buffers>(tact_particles_device_buffers); }

    auto add_collider(const tact_collider& c) { return number<collider_id>(tact_particles_add_collider, &c); }
    returns<> set_collider(collider_id id, const tact_collider& c) { return call(tact_particles_set_collider, id, &c); }
    /// Adds a mesh or a height field.
    returns<body_id> add_body(const tact_mesh_desc& mesh, const tact_body_pose* pose = nullptr,
                              material_id m = material_id(0))
    {
        return number<body_id>(tact_particles_add_mesh, &mesh, pose, m);
    }
    returns<body_id> add_body(const tact_height_field_desc& field, const tact_body_pose* pose = nullptr,
                              material_id m = material_id(0))
    {
        return number<body_id>(tact_particles_add_height_field, &field, pose, m);
    }
    returns<> move_body(body_id id, const tact_body_pose& pose) { return call(tact_particles_move_body, id, &pose); }
    returns<> set_user_data(collider_id id, uint64_t data)
    {
        return call(tact_particles_set_collider_user_data, id, data);
    }
    returns<> set_user_data(body_id id, uint64_t data) { return call(tact_particles_set_body_user_data, id, data); }
    /// Gets the user data of what the contacts' first particles touch.
    returns<> touched_user_data(in<tact_particle_contact> contacts, out<uint64_t> data) const
    {
        if (data.size() < contacts.size()) return detail::refuse();
        return call(tact_particles_get_touched_user_data, contacts, contacts.size(), data);
    }
    auto add_emitter(const tact_emitter& e) { return number<emitter_id>(tact_particles_add_emitter, &e); }
    returns<> set_emitter(emitter_id id, const tact_emitter& e) { return call(tact_particles_set_emitter, id, &e); }
    returns<sink_id> add_sink(const tact_collider& region) { return number<sink_id>(tact_particles_add_sink, &region); }
};

/// Owns queries that were read from a file. Where a query is run again, options that are NULL are those recorded.
class recording : public detail::owner<recording, tact_recording, tact_recording_read, tact_recording_destroy> {
public:
    static returns<recording> read(const context& context, in<std::byte> bytes)
    {
        return created(tact_recording_read, context.get(), bytes.data(), bytes.size());
    }
    const char* machine() const { return tact_recording_machine(get()); }
    size_t count() const { return tact_recording_count(get()); }
    auto describe(size_t index) const { return value<tact_recorded_query>(tact_recording_query, index); }
    std::optional<tact_recorded_array> array(size_t index, size_t place) const
    {
        tact_recorded_array found;
        return tact_recording_array(get(), index, place, &found) ? std::optional(found) : std::nullopt;
    }
    std::optional<tact_recorded_mesh> mesh(size_t index, size_t place) const
    {
        tact_recorded_mesh found;
        return tact_recording_mesh(get(), index, place, &found) ? std::optional(found) : std::nullopt;
    }
    /// Makes the scene of a query, or an empty object for queries of no scene.
    returns<scene> make_scene(size_t index) const
    {
        tact_scene* made = nullptr;
        const tact_result code = tact_recording_make_scene(get(), index, &made);
        return detail::give(code, scene::adopt(made));
    }
    /// The same for queries of one scene; 0 for queries of no scene.
    uint32_t scene_number(size_t index) const { return tact_recording_scene_number(get(), index); }
    /// Makes the set of a query about bodies, or an empty object for other queries.
    returns<bodies> make_bodies(size_t index) const
    {
        tact_bodies* made = nullptr;
        const tact_result code = tact_recording_make_bodies(get(), index, &made);
        return detail::give(code, bodies::adopt(made));
    }
    returns<tact_replayed> run(size_t index, const tact_query_options* options = nullptr)
    {
        return value<tact_replayed>(tact_recording_run, index, options);
    }
    /// Runs a query again and passes the bytes of its answer to a void(span<const std::byte>).
    template <class F>
    returns<tact_replayed> answer(size_t index, F&& take, const tact_query_options* options = nullptr)
    {
        tact_answer_fn* const pass = [](const void* bytes, size_t size, void* user) noexcept {
            const span<const std::byte> some(static_cast<const std::byte*>(bytes), size);
            (*static_cast<std::remove_reference_t<F>*>(user))(some);
        };
        return value<tact_replayed>(tact_recording_answer, index, options, pass, detail::user(take));
    }
};

/// Owns vertices of debug drawing.
class debug_list : public detail::owner<debug_list, tact_debug_list, tact_debug_list_create, tact_debug_list_destroy> {
public:
    void clear() { tact_debug_list_clear(get()); }
    span<const tact_debug_vertex> points() const { return list(tact_debug_list_points); }
    span<const tact_debug_vertex> lines() const { return list(tact_debug_list_lines); }
    span<const tact_debug_vertex> triangles() const { return list(tact_debug_list_triangles); }
};

/// Draws to callbacks, or to a list. The functions return false when the limit left something out.
class drawing : public tact_debug_draw {
public:
    explicit drawing(const tact_debug_draw& draw) : tact_debug_draw(draw) {}
    /// Draws to a list, which must live as long as the drawing.
    explicit drawing(const debug_list& list) : tact_debug_draw(tact_debug_list_draw(list.get())) {}
    static tact_debug_color default_color(tact_debug_kind k) { return tact_debug_default_color(k); }
    returns<bool> box(tact_debug_kind k, const tact_aabb& box) { return draw(tact_debug_aabb, k, box); }
    returns<bool> box(tact_debug_kind k, const tact_obb& box) { return draw(tact_debug_obb, k, &box); }
    returns<bool> box(tact_debug_kind k, const tact_aabb& box, const matrix& m)
    {
        return draw(tact_debug_moved_aabb, k, box, m);
    }
    returns<bool> box(tact_debug_kind k, const scene& s, instance_id i)
    {
        return draw(tact_debug_instance_box, k, s, i);
    }
    returns<bool> sphere(tact_debug_kind k, const tact_sphere& ball) { return draw(tact_debug_sphere, k, ball); }
    returns<bool> capsule(tact_debug_kind k, const tact_capsule& c) { return draw(tact_debug_capsule, k, c); }
    returns<bool> plane(const tact_plane& p, tact_vec3 center, float size)
    {
        return draw(tact_debug_plane, p, center, size);
    }
    returns<bool> triangle(const tact_triangle& t, bool face) { return draw(tact_debug_triangle, t, face); }
    returns<bool> triangle(const scene& s, instance_id i, uint32_t number)
    {
        return draw(tact_debug_instance_triangle, s, i, number);
    }
    returns<bool> frustum(const tact_frustum& f, float reach) { return draw(tact_debug_frustum, &f, reach); }
    returns<bool> ray(const tact_ray& ray, const tact_hit* hit, const tact_vec3* normal, float reach)
    {
        return draw(tact_debug_ray, &ray, hit, normal, reach);
    }
    returns<bool> contact(tact_vec3 at, tact_vec3 normal, float length)
    {
        return draw(tact_debug_contact, at, normal, length);
    }
    returns<bool> contacts(in<tact_triangle_contact> contacts, const matrix& m = identity)
    {
        return draw(tact_debug_triangle_contacts, contacts, contacts.size(), m);
    }
    returns<bool> manifold(const tact_manifold& m, float length) { return draw(tact_debug_manifold, &m, length); }
    returns<bool> all(const volumes& set) { return draw(tact_debug_volumes, set); }
    /// `origin` is three numbers, or nullptr for zeros.
    returns<bool> all(const bodies& set, const double* origin, float size)
    {
        return draw(tact_debug_bodies, set, origin, size);
    }
    returns<bool> contacts(const bodies& set, in<tact_contact> list, const double* origin, float length)
    {
        return draw(tact_debug_body_contacts, set, list, list.size(), origin, length);
    }
    returns<bool> bounds(const scene& s) { return draw(tact_debug_scene_bounds, s); }
    returns<bool> bounds(const scene& s, instance_id i) { return draw(tact_debug_instance_bounds, s, i); }
    returns<bool> tree(const scene& s, uint32_t level) { return draw(tact_debug_scene_tree, s, level); }
    returns<bool> tree(const scene& s, instance_id i, uint32_t level)
    {
        return draw(tact_debug_instance_tree, s, i, level);
    }
    static uint32_t levels(const scene& s) { return tact_debug_scene_levels(s.get()); }
    static uint32_t levels(const scene& s, instance_id i) { return tact_debug_instance_levels(s.get(), i.value); }
    returns<bool> edges(const scene& s, instance_id i) { return draw(tact_debug_instance_edges, s, i); }
    returns<bool> normals(const scene& s, instance_id i, float length)
    {
        return draw(tact_debug_instance_normals, s, i, length);
    }

private:
    template <class F, class... A> returns<bool> draw(F function, const A&... arguments)
    {
        const tact_result code = function(this, detail::c(arguments)...);
        return detail::give(code, code == TACT_OK);
    }
};

}  // inline namespace
}  // namespace tact

#undef TACT_HPP_THROWS
