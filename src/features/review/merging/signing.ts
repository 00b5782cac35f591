import type { User } from "../../../core/actor.ts"
import type { Services } from "../../../core/services.ts"
import { commitPerson } from "../../code/commits/people.ts"
import { type Sign, signerFor } from "../../code/signatures/signing.ts"
import type { MergeStyle } from "./records.ts"
import type { Trial } from "./trial.ts"

/** What signs the commits of a merge; undefined where they are not signed, or there are none. */
export const mergeSigner = (
  services: Services,
  user: User,
  { repository, base, head }: Pick<Trial, "repository" | "base" | "head">,
  style: MergeStyle,
): Promise<Sign | undefined> =>
  style === "fast-forward-only"
    ? Promise.resolve(undefined)
    : signerFor(services, { purpose: "merges", user, repository, committer: commitPerson(services, user), parents: [base, head] })
