import type { CommitsToKeep } from "../../code/lifecycle/maintenance.ts"
import type { seriesTakers } from "../pulls/offers/series.ts"

/** What stacks register for lower features; all of it is loaded when it is first needed. */

/** Makes a pull request of each change of a series. */
export const stackedSeries: ReturnType<typeof seriesTakers.of>[number] = async (services, found, series) =>
  (await import("./first-use.ts")).prepareSeries(services, found, series)

/** The commits that versions of pushed changes name: they are compared for as long as those exist. Those of other pull requests are dropped as all that is left behind. */
export const commitsOfVersions: CommitsToKeep = async (db, repositoryId) => {
  const { findVersionCommits } = await import("./store.ts")
  return (await findVersionCommits(db, { repositoryId })).flatMap(({ head_id, base_id, stands_on }) => [head_id, base_id, stands_on])
}
