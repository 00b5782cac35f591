import type { FreshKind } from "../../../../tests/support/database.ts"
import type { Answer, Caller } from "../../../../tests/support/hearth.ts"
import type { ConfigOverrides } from "../../../core/config.ts"
import { openPullWorld, type PullRepository, type PullWorld } from "../pulls/testing.ts"

/** Shared by tests of reviews: pull requests of ann's that change the second line of a.txt and add a fourth. */
export interface ReviewWorld extends PullWorld {
  readonly reviewed: (options?: object) => Promise<Reviewed>
}

export interface Reviewed extends PullRepository {
  readonly number: number
  /** The commit at the head. */
  readonly head: string
  /** Sends a review. */
  readonly review: (by: Caller, body: object) => Promise<Answer>
  /** Sends a review, which must succeed, and gives it. */
  readonly must: (by: Caller, body: object) => Promise<Answer["body"]>
  /** A call below /pulls/{number}. */
  readonly call: (by: Caller, method: string, path: string, body?: object) => Promise<Answer>
  readonly reviews: (by?: Caller) => Promise<Answer["body"][]>
  /** The comments of a review on lines. */
  readonly comments: (id: number, by?: Caller) => Promise<Answer["body"][]>
  /** Another commit on the head. */
  readonly push: (file: string, content: string) => Promise<string>
}

export async function openReviewWorld(kind: FreshKind, config: ConfigOverrides = {}): Promise<ReviewWorld> {
  const world = await openPullWorld(kind, config)
  const reviewed: ReviewWorld["reviewed"] = async (options = {}) => {
    const repository = await world.repository(options)
    const head = await repository.commit("work", "a.txt", "one\n2\nthree\nfour\n")
    const number = await repository.pull("work")
    const at = `${repository.at}/pulls/${number}`
    return {
      ...repository,
      number,
      head,
      review: (by, body) => world.call(by, `POST ${at}/reviews`, body),
      must: (by, body) => world.must(by, `POST ${at}/reviews`, body),
      call: (by, method, path, body) => world.call(by, `${method} ${at}/${path}`, body),
      reviews: (by = world.ann) => world.must(by, `GET ${at}/reviews`),
      comments: (id, by = world.ann) => world.must(by, `GET ${at}/reviews/${id}/comments`),
      push: (file, content) => repository.commit("work", file, content),
    }
  }
  return { ...world, reviewed }
}
