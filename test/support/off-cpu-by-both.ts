/** Time off the CPU inside calls: by the library's sums, and by BPF's intervals cut to the calls. */
export const OFF_CPU_BY_BOTH = `WITH call AS (
    SELECT rowid AS row, thread_id, start_ns, start_ns + duration_ns AS end_ns, off_cpu_ns, run_queue_ns
    FROM cuda_call WHERE off_cpu_ns IS NOT NULL
  ), wait AS (
    SELECT call.row, sum(min(w.start_ns + w.duration_ns, call.end_ns) - max(w.start_ns, call.start_ns)) AS off_ns,
      sum(min(w.run_queue_ns, call.end_ns - w.start_ns)) AS queue_ns
    FROM call JOIN off_cpu w ON w.thread_id = call.thread_id
      AND w.start_ns < call.end_ns AND w.start_ns + w.duration_ns > call.start_ns
    GROUP BY call.row
  )
  SELECT sum(off_cpu_ns) AS insideOff, sum(off_ns) AS bpfOff, sum(call.run_queue_ns) AS insideQueue,
    sum(queue_ns) AS bpfQueue, count(off_ns) AS waits,
    count(*) FILTER (WHERE off_ns IS NULL AND off_cpu_ns > 0) AS invented
  FROM call LEFT JOIN wait USING (row)`;
