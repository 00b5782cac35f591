import type { CommitsToKeep } from "../../code/lifecycle/maintenance.ts"
import type { seriesTakers } from "../pulls/offers/series.ts"
import { findVersionCommits } from "./store.ts"

/** What stacks register for lower features. */

/** Makes a pull request of each change of a series. */
export const stackedSeries: ReturnType<typeof seriesTakers.of>[number] = async (services, found, series) =>
  (await import("./first-use.ts")).prepareSeries(services, found, series)

/** The commits that versions of pushed changes name: they are compared for as long as those exist. Those of other pull requests are dropped as all that is left behind. */
export const commitsOfVersions: CommitsToKeep = async (db, repositoryId) => {
  return (await findVersionCommits(db, { repositoryId })).flatMap(({ head_id, base_id, stands_on }) => [head_id, base_id, stands_on])
}
