/* The time loop of a simulation of an arm with N joints: fixed steps, efforts held during a step.
 *
 * It repeats integrators/ and joints.py, which explain the formulas; a test compares them.
 * A state is N positions and N velocities.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

/* With LOADED, kernels of the rigid arm take a payload and gravity, too, and the bias is the inverse
 * dynamics without acceleration. */
#ifdef LOADED
#define LOAD , const double *payload, const double *gravity
#define OF(s) , (s)->payload, (s)->gravity
#define AT_REST , rest
#define REST , const double *qdd
#else
#define LOAD
#define OF(s)
#define AT_REST
#define REST
#endif
typedef void forward_dynamics(const double *q, const double *qd, const double *tau LOAD,
                              double *qdd);
typedef void mass_matrix(const double *q LOAD, double *M);
typedef void bias(const double *q, const double *qd REST LOAD, double *tau);
typedef void net_efforts(const double *qd, const double *tau, const double *width, double *net);

enum method { RK4, AB4, SEMI_IMPLICIT_EULER };

struct simulation {
    forward_dynamics *rigid_forward_dynamics; /* without friction */
    mass_matrix *mass_matrix;
    bias *bias;
    net_efforts *net_efforts; /* efforts less friction */
    const double *payload, *gravity; /* with LOADED */
    int64_t method, substeps, has_friction, adds_inertia;
    double h; /* length of a substep, s */
    double friction_velocity[N], max_effort[N], lower[N], upper[N];
    double stop_stiffness[N], stop_softness[N], stop_damping[N], added_inertia[N];
    double fastest[N]; /* velocities beyond which the motion counts as diverged */
    /* State between steps. */
    double held[N];
    int64_t remembered;
    double earlier[3][2 * N]; /* derivatives, the newest first */
    double lost[2 * N];       /* the state at which the motion diverged */
};

static double stop_force(const struct simulation *s, int i, double depth, double rate)
{
    const double w = s->stop_softness[i];
    const double damping = fmin(fmax(s->stop_damping[i] * rate, -1.0), 1.0);
    return s->stop_stiffness[i] * depth * depth * depth / (depth * depth + w * w)
           * (1.0 + damping);
}

/* qdd = (M + diag(added inertia))^-1 (effort - bias), by L D L^T factorisation */
static void slowed_forward_dynamics(const struct simulation *s, const double *q,
                                    const double *qd, const double *effort, double *qdd)
{
    double M[N][N], spent[N];
#ifdef LOADED
    static const double rest[N];
#endif
    s->mass_matrix(q OF(s), &M[0][0]);
    s->bias(q, qd AT_REST OF(s), spent);
    for (int i = 0; i < N; i++) {
        M[i][i] += s->added_inertia[i];
        qdd[i] = effort[i] - spent[i];
    }
    for (int j = 0; j < N; j++)
        for (int i = j + 1; i < N; i++) {
            const double factor = M[i][j] / M[j][j];
            for (int k = j + 1; k <= i; k++)
                M[i][k] -= factor * M[k][j];
            qdd[i] -= factor * qdd[j];
        }
    for (int j = N - 1; j >= 0; j--) {
        for (int i = j + 1; i < N; i++)
            qdd[j] -= M[i][j] * qdd[i];
        qdd[j] /= M[j][j];
    }
}

static void derivative(const struct simulation *s, const double *state, double *rate)
{
    const double *q = state, *qd = state + N;
    double effort[N];
    for (int i = 0; i < N; i++) {
        effort[i] = s->held[i];
        if (q[i] < s->lower[i])
            effort[i] += stop_force(s, i, s->lower[i] - q[i], -qd[i]);
        else if (q[i] > s->upper[i])
            effort[i] -= stop_force(s, i, q[i] - s->upper[i], qd[i]);
    }
    if (s->has_friction)
        s->net_efforts(qd, effort, s->friction_velocity, effort);
    memcpy(rate, qd, N * sizeof(double));
    if (s->adds_inertia)
        slowed_forward_dynamics(s, q, qd, effort, rate + N);
    else
        s->rigid_forward_dynamics(q, qd, effort OF(s), rate + N);
}

/* y + h k */
static void moved(const double *y, double h, const double *k, double *result)
{
    for (int i = 0; i < 2 * N; i++)
        result[i] = y[i] + h * k[i];
}

static void rk4_step(const struct simulation *s, double *y, const double *k1)
{
    const double h = s->h;
    double k2[2 * N], k3[2 * N], k4[2 * N], stage[2 * N];
    moved(y, h / 2, k1, stage);
    derivative(s, stage, k2);
    moved(y, h / 2, k2, stage);
    derivative(s, stage, k3);
    moved(y, h, k3, stage);
    derivative(s, stage, k4);
    for (int i = 0; i < 2 * N; i++)
        y[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
}

static void ab4_step(struct simulation *s, double *y, const double *now)
{
    double(*f)[2 * N] = s->earlier;
    if (s->remembered < 3) {
        rk4_step(s, y, now);
        s->remembered++;
    } else {
        for (int i = 0; i < 2 * N; i++)
            y[i] += s->h / 24 * (55 * now[i] - 59 * f[0][i] + 37 * f[1][i] - 9 * f[2][i]);
    }
    memmove(f[1], f[0], 2 * sizeof f[0]);
    memcpy(f[0], now, sizeof f[0]);
}

static void step(struct simulation *s, double *y)
{
    double now[2 * N];
    derivative(s, y, now);
    if (s->method == RK4) {
        rk4_step(s, y, now);
    } else if (s->method == AB4) {
        ab4_step(s, y, now);
    } else {
        for (int i = 0; i < N; i++) {
            y[N + i] += s->h * now[N + i];
            y[i] += s->h * y[N + i];
        }
    }
}

static int is_plausible(const struct simulation *s, const double *y)
{
    int good = 1; /* every comparison with NaN is false */
    for (int i = 0; i < N; i++)
        good &= fabs(y[i]) < INFINITY && fabs(y[N + i]) < s->fastest[i];
    return good;
}

static void hold(struct simulation *s, const double *tau)
{
    double clipped[N];
    for (int i = 0; i < N; i++)
        clipped[i] = fmin(fmax(tau[i], -s->max_effort[i]), s->max_effort[i]);
    if (memcmp(clipped, s->held, sizeof clipped) != 0)
        s->remembered = 0;
    memcpy(s->held, clipped, sizeof clipped);
}

/* Advances `state` by so many steps and returns the number of good ones. `tau` has one row, or one
 * per step; every `every` steps, counted from `phase`, a row of `kept` is filled. */
int64_t advance(struct simulation *s, double *state, const double *tau, int64_t rows,
                int64_t steps, int64_t every, int64_t phase, double *kept)
{
    double y[2 * N];
    memcpy(y, state, sizeof y);
    hold(s, tau);
    for (int64_t k = 0; k < steps; k++) {
        if (rows > 1)
            hold(s, tau + k * N);
        for (int64_t i = 0; i < s->substeps; i++) {
            step(s, y);
            if (!is_plausible(s, y)) {
                memcpy(s->lost, y, sizeof y);
                return k;
            }
        }
        memcpy(state, y, sizeof y);
        if (kept && ++phase == every) {
            memcpy(kept, y, sizeof y);
            kept += 2 * N;
            phase = 0;
        }
    }
    return steps;
}
