import type { Cluster } from "./cluster.ts"

/** A process's part of what a whole server may use at once. It changes as processes come and go. */
export type Share = (total: number) => number

/** All of it: for a server of one process. */
export const whole: Share = (total) => total

/** An equal part for each process, rounded up: one at least of what there is. */
export function shareIn(cluster: Cluster | undefined): Share {
  if (!cluster) return whole
  let sharers = 1
  cluster.onSharers((count) => {
    sharers = count
  })
  return (total) => Math.ceil(total / sharers)
}
