import type { OnRepository } from "../../../../access/policies/repositories.ts"
import type { Me } from "../../../../access/policies/site.ts"
import { extensionPoint } from "../../../../core/extensions.ts"
import type { Services } from "../../../../core/services.ts"
import type { ObjectId, RefCommand, Repository } from "../../../../git/index.ts"
import type { Ready } from "./ready.ts"
import type { OfferOptions } from "./request.ts"

/** Commits that were pushed to `refs/for/BRANCH` without a topic. */
export interface OfferedSeries {
  readonly repository: Repository
  readonly command: RefCommand
  readonly asked: OfferOptions
  readonly base: string
  readonly id: ObjectId
}

/** Makes ready what a series asks for, or gives words against it for the pusher. Registered in src/extensions.ts. */
export const seriesTakers =
  extensionPoint<(services: Services, found: OnRepository & Me, series: OfferedSeries) => Promise<readonly Ready[] | string>>(
    "series of commits",
  )
