/* Extraction from an e-graph: one e-node per e-class, so that the program needs the fewest
   operations.

   E-class v has the e-nodes first[v] .. first[v + 1] - 1; e-node w costs cost[w] and uses the
   e-classes operand[w][0] and [1] (-1: none). A program pays once for each e-class that the
   results need. Simulated annealing: change the e-node of one needed e-class and accept by the
   Metropolis rule. Reference counts make updating the cost as cheap as the change itself. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int classes;
    const int *first, (*operand)[2], *cost;
    int *choice;     /* the chosen e-node of each e-class */
    int *users;      /* how many needed e-classes use it */
    int *mark;       /* stamp of the last walk that entered it */
    int *finished;   /* stamp of the last walk that left it */
    int *estimate;   /* cost of adding an e-class that is not needed now */
    int *stack, *changed, *previous, *needed;
    int stamp, total;
    uint64_t random;
} Search;

enum { NEVER = 1 << 28, LONGEST_ADDITION = 80, REFRESH = 500 };
static const double FINAL_TEMPERATURE = 0.12; /* operations */
static const double VARIED = 0.3; /* fraction of the e-classes added by a move that change, too */

static double uniform(Search *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (double)(s->random >> 11) * 0x1p-53;
}

static int below(Search *s, int bound)
{
    return (int)(uniform(s) * bound);
}

static void need(Search *s, int v)
{
    if (v < 0 || s->users[v]++ > 0)
        return;
    const int node = s->choice[v];
    s->total += s->cost[node];
    need(s, s->operand[node][0]);
    need(s, s->operand[node][1]);
}

static void release(Search *s, int v)
{
    if (v < 0 || --s->users[v] > 0)
        return;
    const int node = s->choice[v];
    s->total -= s->cost[node];
    release(s, s->operand[node][0]);
    release(s, s->operand[node][1]);
}

/* Whether v, computed as chosen, depends neither on itself nor on `goal`. */
static int well_founded(Search *s, int v, int goal)
{
    if (v < 0 || s->finished[v] == s->stamp)
        return 1;
    if (v == goal || s->mark[v] == s->stamp)
        return 0;
    s->mark[v] = s->stamp;
    const int node = s->choice[v];
    if (!well_founded(s, s->operand[node][0], goal) || !well_founded(s, s->operand[node][1], goal))
        return 0;
    s->finished[v] = s->stamp;
    return 1;
}

/* For e-classes not needed now: choose the e-node that adds least to the current program. */
static void refresh_choices(Search *s)
{
    for (int v = 0; v < s->classes; v++)
        s->estimate[v] = s->users[v] > 0 ? 0 : NEVER;
    for (int improved = 1; improved;) {
        improved = 0;
        for (int v = 0; v < s->classes; v++) {
            if (s->users[v] > 0)
                continue;
            for (int node = s->first[v]; node < s->first[v + 1]; node++) {
                const int a = s->operand[node][0], b = s->operand[node][1];
                int sum = s->cost[node];
                if (a >= 0)
                    sum += s->estimate[a];
                if (b >= 0 && b != a)
                    sum += s->estimate[b];
                if (sum >= NEVER) /* shared e-classes count repeatedly: no upper bound */
                    sum = s->estimate[a < 0 ? b : a] < NEVER && s->estimate[b < 0 ? a : b] < NEVER
                              ? NEVER - 1 : NEVER;
                if (sum < s->estimate[v]) {
                    s->estimate[v] = sum;
                    s->choice[v] = node;
                    improved = 1;
                }
            }
        }
    }
}

/* Pick other e-nodes for some e-classes that `node` would add; returns 0 if it adds too many. */
static int vary_additions(Search *s, int node, int *changes)
{
    int depth = 0, added = 0;
    s->stamp++;
    *changes = 0;
    s->stack[depth++] = s->operand[node][0];
    s->stack[depth++] = s->operand[node][1];
    while (depth > 0) {
        const int v = s->stack[--depth];
        if (v < 0 || s->users[v] > 0 || s->mark[v] == s->stamp)
            continue;
        s->mark[v] = s->stamp;
        if (++added > LONGEST_ADDITION)
            return 0;
        const int nodes = s->first[v + 1] - s->first[v];
        if (nodes > 1 && uniform(s) < VARIED) {
            s->changed[*changes] = v;
            s->previous[(*changes)++] = s->choice[v];
            s->choice[v] = s->first[v] + below(s, nodes);
        }
        s->stack[depth++] = s->operand[s->choice[v]][0];
        s->stack[depth++] = s->operand[s->choice[v]][1];
    }
    return 1;
}

static int accepted(Search *s, int v, int node, double temperature)
{
    const int before = s->total, old = s->choice[v];
    s->stamp++;
    if (!well_founded(s, s->operand[node][0], v) || !well_founded(s, s->operand[node][1], v))
        return 0;
    need(s, s->operand[node][0]);
    need(s, s->operand[node][1]);
    release(s, s->operand[old][0]);
    release(s, s->operand[old][1]);
    s->choice[v] = node;
    s->total += s->cost[node] - s->cost[old];
    if (s->total - before <= -temperature * log(uniform(s) + 1e-300))
        return 1;
    need(s, s->operand[old][0]);
    need(s, s->operand[old][1]);
    release(s, s->operand[node][0]);
    release(s, s->operand[node][1]);
    s->choice[v] = old;
    s->total += s->cost[old] - s->cost[node];
    return 0;
}

/* Improves `choice`, which must be acyclic, and returns the cost, or -1 if out of memory. */
int extract(int classes, const int *first, const int (*operand)[2], const int *cost, int results,
            const int *result, int *choice, long moves, double hot, uint64_t seed)
{
    int *memory = calloc((size_t)classes * 12 + 4, sizeof *memory);
    if (memory == NULL)
        return -1;
    Search s = {classes, first, operand, cost, choice,
                memory, memory + classes, memory + 2 * classes, memory + 3 * classes,
                memory + 4 * classes, memory + 7 * classes + 4, memory + 8 * classes + 4,
                memory + 9 * classes + 4, 0, 0, seed * 2654435761u + 88172645463325252u};
    int *best = memory + 10 * classes + 4, needed = 0;
    double temperature = hot;
    for (int i = 0; i < results; i++)
        need(&s, result[i]);
    int least = s.total;
    memcpy(best, choice, (size_t)classes * sizeof *best);
    for (long move = 0; move < moves; move++) {
        if (move % REFRESH == 0) {
            refresh_choices(&s);
            needed = 0;
            for (int v = 0; v < classes; v++)
                if (s.users[v] > 0 && first[v + 1] - first[v] > 1)
                    s.needed[needed++] = v;
            if (needed == 0)
                break;
            temperature = hot * pow(FINAL_TEMPERATURE / hot, (double)move / (double)moves);
        }
        const int v = s.needed[below(&s, needed)];
        const int node = first[v] + below(&s, first[v + 1] - first[v]);
        if (s.users[v] == 0 || node == choice[v])
            continue;
        int changes, success = vary_additions(&s, node, &changes);
        success = success && accepted(&s, v, node, temperature);
        if (!success)
            while (changes-- > 0)
                choice[s.changed[changes]] = s.previous[changes];
        else if (s.total < least) {
            least = s.total;
            memcpy(best, choice, (size_t)classes * sizeof *best);
        }
    }
    memcpy(choice, best, (size_t)classes * sizeof *best);
    free(memory);
    return least;
}
