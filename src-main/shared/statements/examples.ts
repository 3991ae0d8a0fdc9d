/** A question that is asked often, with the statement that answers it over any trace. */
export interface StatementExample {
  readonly title: string;
  /** What to know of the answer. */
  readonly doc: string;
  readonly text: string;
}

/** As they stand in docs/sql.md; a test runs each on the bundled sample. */
export const statementExamples: readonly StatementExample[] = [
  {
    title: 'The longest copies, with their contenders',
    doc: 'Who ran on the CPU of the copying thread while it waited for one.',
    text: `WITH copies AS (
  SELECT call_id, thread_id, start_ns, start_ns + duration_ns AS end_ns, duration_ns
  FROM cuda_call WHERE direction = 1 ORDER BY duration_ns DESC LIMIT 5
), waited AS (
  SELECT c.call_id, max(w.start_ns, c.start_ns) AS begin_ns,
         min(w.start_ns + w.duration_ns, c.end_ns) AS end_ns, w.cpu_in AS cpu
  FROM copies c JOIN off_cpu w ON w.thread_id = c.thread_id
  WHERE w.state = 0 AND w.start_ns < c.end_ns AND w.start_ns + w.duration_ns > c.start_ns
)
SELECT c.call_id, c.start_ns / 1e6 AS start_ms, c.duration_ns / 1e6 AS copy_ms,
       t.name AS contender, t.tid, t.role,
       sum(min(r.start_ns + r.duration_ns, w.end_ns) - max(r.start_ns, w.begin_ns)) / 1e6 AS ran_ms
FROM copies c JOIN waited w USING (call_id)
JOIN on_cpu r ON r.cpu = w.cpu AND r.start_ns < w.end_ns AND r.start_ns + r.duration_ns > w.begin_ns
JOIN thread t ON t.id = r.thread_id
GROUP BY c.call_id, t.id ORDER BY copy_ms DESC, ran_ms DESC`,
  },
  {
    title: 'Switches per worker and step',
    doc: "A step ends where the training thread has waited for the GPU; where a profiler wrote steps, take ranges WHERE name LIKE 'ProfilerStep%' instead.",
    text: `WITH step AS (
  SELECT row_number() OVER (ORDER BY start_ns) AS step, start_ns + duration_ns AS begin_ns,
         lead(start_ns + duration_ns) OVER (ORDER BY start_ns) AS end_ns
  FROM calls WHERE call = 'cudaStreamSynchronize'
)
SELECT s.step, w.pid, count(*) AS switches, sum(w.preempted) AS preempted,
       sum(w.run_queue_ms) AS waited_for_cpu_ms
FROM step s JOIN waits w ON w.start_ns >= s.begin_ns AND w.start_ns < s.end_ns
WHERE w.role = 'dataloader-worker'
GROUP BY s.step, w.pid ORDER BY s.step, w.pid`,
  },
  {
    title: 'Where the time in CUDA calls goes',
    doc: 'Calls by name and direction, the most time first.',
    text: `SELECT call, direction, count(*) AS calls, sum(duration_ms) AS total_ms, max(duration_ms) AS longest_ms
FROM calls WHERE parent_call_id IS NULL GROUP BY call, direction ORDER BY total_ms DESC`,
  },
  {
    title: 'Who is preempted most, and by whom',
    doc: 'Threads that could have gone on, and who was put in their place.',
    text: `SELECT thread, tid, role, next_thread, count(*) AS preempted, sum(run_queue_ms) AS waited_ms
FROM waits WHERE preempted = 1 GROUP BY tid, next_thread ORDER BY preempted DESC LIMIT 20`,
  },
  {
    title: 'Who held each CPU, and for how long',
    doc: 'CPU time by process, on each CPU.',
    text: `SELECT cpu, process, pid, role, count(*) AS slices, sum(duration_ms) AS held_ms
FROM cpu_slices GROUP BY cpu, pid ORDER BY cpu, held_ms DESC`,
  },
  {
    title: 'CPU time of each role over time',
    doc: 'Per tenth of a second; as a chart, a point is one role in one of them.',
    text: `SELECT (start_ns / 100000000) * 100.0 AS start_ms, 100.0 AS duration_ms, role, sum(duration_ms) AS held_ms
FROM cpu_slices GROUP BY 1, role ORDER BY 1, held_ms DESC`,
  },
  {
    title: 'The longest waits for a CPU',
    doc: 'Who waited, how long in the run queue, and who ran next on the CPU that it had left.',
    text: `SELECT start_ms, duration_ms, run_queue_ms, thread, tid, role, next_thread
FROM waits WHERE run_queue_ms > 0 ORDER BY run_queue_ms DESC LIMIT 50`,
  },
  {
    title: 'Gaps between CUDA calls of a thread',
    doc: 'Time in which a thread that calls CUDA was in no recorded CUDA call: it did something else, or waited.',
    text: `SELECT thread, tid, end_ms AS start_ms, next_ms - end_ms AS duration_ms, call AS after_call, next_call
FROM (
  SELECT thread, tid, call, start_ms + duration_ms AS end_ms,
         lead(start_ms) OVER next AS next_ms, lead(call) OVER next AS next_call
  FROM calls WHERE parent_call_id IS NULL
  WINDOW next AS (PARTITION BY tid ORDER BY start_ns)
)
WHERE next_ms > end_ms ORDER BY duration_ms DESC LIMIT 50`,
  },
  {
    title: 'What this trace can tell',
    doc: 'How far each table can be trusted, and why. What was lost is in losses.',
    text: `SELECT * FROM provenance`,
  },
];
