/* Which way to compute each value, so that the whole program needs the fewest operations.

   Value v can be computed in the ways first[v] .. first[v + 1] - 1; way w costs cost[w] and uses
   the values left[w] and right[w] (-1: none). A program is a choice of one way per value; it pays
   for the values that the results need, each once. Simulated annealing: change the way of one
   needed value, and accept if the program does not get dearer by more than a random amount that
   shrinks with time. Reference counts make the change of cost as cheap as the change itself. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int values;
    const int *first, *left, *right, *cost;
    int *choice;     /* the chosen way of each value */
    int *users;      /* how many needed values use it */
    int *mark;       /* stamp of the last walk that met it */
    int *finished;   /* stamp of the last walk that left it */
    int *estimate;   /* cost of what is missing to compute a value that is not needed now */
    int *stack, *changed, *previous, *needed;
    int stamp, total;
    uint64_t random;
} Search;

enum { NEVER = 1 << 28, LONGEST_ADDITION = 80, REFRESH = 500 };

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
    const int way = s->choice[v];
    s->total += s->cost[way];
    need(s, s->left[way]);
    need(s, s->right[way]);
}

static void release(Search *s, int v)
{
    if (v < 0 || --s->users[v] > 0)
        return;
    const int way = s->choice[v];
    s->total -= s->cost[way];
    release(s, s->left[way]);
    release(s, s->right[way]);
}

/* Whether v can be computed, as chosen, without itself and without `goal`. */
static int well_founded(Search *s, int v, int goal)
{
    if (v < 0 || s->finished[v] == s->stamp)
        return 1;
    if (v == goal || s->mark[v] == s->stamp)
        return 0;
    s->mark[v] = s->stamp;
    const int way = s->choice[v];
    if (!well_founded(s, s->left[way], goal) || !well_founded(s, s->right[way], goal))
        return 0;
    s->finished[v] = s->stamp;
    return 1;
}

/* For values that are not needed: the way that adds least to the program as it is. */
static void refresh_choices(Search *s)
{
    for (int v = 0; v < s->values; v++)
        s->estimate[v] = s->users[v] > 0 ? 0 : NEVER;
    for (int improved = 1; improved;) {
        improved = 0;
        for (int v = 0; v < s->values; v++) {
            if (s->users[v] > 0)
                continue;
            for (int way = s->first[v]; way < s->first[v + 1]; way++) {
                const int a = s->left[way], b = s->right[way];
                int sum = s->cost[way];
                if (a >= 0)
                    sum += s->estimate[a];
                if (b >= 0 && b != a)
                    sum += s->estimate[b];
                if (sum >= NEVER) /* shared values are counted often: it may be any number */
                    sum = s->estimate[a < 0 ? b : a] < NEVER && s->estimate[b < 0 ? a : b] < NEVER
                              ? NEVER - 1 : NEVER;
                if (sum < s->estimate[v]) {
                    s->estimate[v] = sum;
                    s->choice[v] = way;
                    improved = 1;
                }
            }
        }
    }
}

/* New ways for some of the values that `way` would add. Returns 0 if it would add too many. */
static int vary_additions(Search *s, int way, double share, int *changes)
{
    int depth = 0, added = 0;
    s->stamp++;
    *changes = 0;
    s->stack[depth++] = s->left[way];
    s->stack[depth++] = s->right[way];
    while (depth > 0) {
        const int v = s->stack[--depth];
        if (v < 0 || s->users[v] > 0 || s->mark[v] == s->stamp)
            continue;
        s->mark[v] = s->stamp;
        if (++added > LONGEST_ADDITION)
            return 0;
        const int ways = s->first[v + 1] - s->first[v];
        if (ways > 1 && uniform(s) < share) {
            s->changed[*changes] = v;
            s->previous[(*changes)++] = s->choice[v];
            s->choice[v] = s->first[v] + below(s, ways);
        }
        s->stack[depth++] = s->left[s->choice[v]];
        s->stack[depth++] = s->right[s->choice[v]];
    }
    return 1;
}

static int accepted(Search *s, int v, int way, double temperature)
{
    const int before = s->total, old = s->choice[v];
    s->stamp++;
    if (!well_founded(s, s->left[way], v) || !well_founded(s, s->right[way], v))
        return 0;
    need(s, s->left[way]);
    need(s, s->right[way]);
    release(s, s->left[old]);
    release(s, s->right[old]);
    s->choice[v] = way;
    s->total += s->cost[way] - s->cost[old];
    if (s->total - before <= -temperature * log(uniform(s) + 1e-300))
        return 1;
    need(s, s->left[old]);
    need(s, s->right[old]);
    release(s, s->left[way]);
    release(s, s->right[way]);
    s->choice[v] = old;
    s->total += s->cost[old] - s->cost[way];
    return 0;
}

/* Improves `choice`, which must be without cycles, and returns the cost, or -1 without memory. */
int search(int values, const int *first, const int *left, const int *right, const int *cost,
           int results, const int *result, int *choice, long moves, double hot, double cold,
           double share, uint64_t seed)
{
    int *memory = calloc((size_t)values * 12 + 4, sizeof *memory);
    if (memory == NULL)
        return -1;
    Search s = {values, first, left, right, cost, choice,
                memory, memory + values, memory + 2 * values, memory + 3 * values,
                memory + 4 * values, memory + 7 * values + 4, memory + 8 * values + 4,
                memory + 9 * values + 4, 0, 0, seed * 2654435761u + 88172645463325252u};
    int *best = memory + 10 * values + 4, needed = 0;
    double temperature = hot;
    for (int i = 0; i < results; i++)
        need(&s, result[i]);
    int least = s.total;
    memcpy(best, choice, (size_t)values * sizeof *best);
    for (long move = 0; move < moves; move++) {
        if (move % REFRESH == 0) {
            refresh_choices(&s);
            needed = 0;
            for (int v = 0; v < values; v++)
                if (s.users[v] > 0 && first[v + 1] - first[v] > 1)
                    s.needed[needed++] = v;
            if (needed == 0)
                break;
            temperature = hot * pow(cold / hot, (double)move / (double)moves);
        }
        const int v = s.needed[below(&s, needed)];
        const int way = first[v] + below(&s, first[v + 1] - first[v]);
        if (s.users[v] == 0 || way == choice[v])
            continue;
        int changes, success = vary_additions(&s, way, share, &changes);
        success = success && accepted(&s, v, way, temperature);
        if (!success)
            while (changes-- > 0)
                choice[s.changed[changes]] = s.previous[changes];
        else if (s.total < least) {
            least = s.total;
            memcpy(best, choice, (size_t)values * sizeof *best);
        }
    }
    memcpy(choice, best, (size_t)values * sizeof *best);
    free(memory);
    return least;
}
