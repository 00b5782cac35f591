import { type Person, times, type World } from "../support/world.ts"
import type { Example, Examples, MakeExample } from "./example.ts"

const encoded = (text: string): string => Buffer.from(text).toString("base64")

/** A pull request that changes the second line of a file and adds a fourth, called by a user who may write to its repository. */
async function withPull(world: World) {
  const owner = await world.person()
  const reviewer = await world.person()
  const { owner: name, repo } = await world.repository(owner, { auto_init: true })
  const at = `/repos/${name}/${repo}`
  await world.must(owner, `PUT ${at}/collaborators/${reviewer.name}`, { permission: "write" })
  const file = { content: encoded("one\ntwo\nthree\n"), message: "Add files" }
  const { content } = await world.must<{ readonly content: { readonly sha: string } }>(owner, `POST ${at}/contents/a.txt`, file)
  const edited = { content: encoded("one\n2\nthree\nfour\n"), message: "Change it", sha: content.sha, branch: "main", new_branch: "work" }
  await world.must(owner, `PUT ${at}/contents/a.txt`, edited)
  const { number } = await world.must<{ readonly number: number }>(owner, `POST ${at}/pulls`, { title: "Work", head: "work", base: "main" })
  return {
    owner,
    reviewer,
    pull: `${at}/pulls/${number}`,
    authorization: reviewer.authorization,
    path: { owner: name, repo, index: number },
  }
}

const onLine = { path: "a.txt", body: "Why four?", new_position: 4 }

/** A review with so many comments on a line; the last is called upon. */
async function withReview(world: World, options: object = {}, size = 1) {
  const found = await withPull(world)
  const body = { event: "COMMENT", body: "See below.", comments: await times(size, async () => onLine), ...options }
  const { id } = await world.must<{ readonly id: number }>(found.reviewer, `POST ${found.pull}/reviews`, body)
  return { ...found, path: { ...found.path, id } }
}

async function withLineComment(world: World) {
  const { pull, reviewer, path, ...rest } = await withReview(world)
  const [comment] = await world.must<readonly { readonly id: number }[]>(reviewer, `GET ${pull}/reviews/${path.id}/comments`)
  return { ...rest, reviewer, pull, path: { ...path, id: comment?.id ?? 0 } }
}

type Found = Omit<Example, "body" | "query"> & { readonly authorization: string }

const callOn = ({ authorization, path }: Found, body?: object): Example => ({ authorization, ...(path && { path }), ...(body && { body }) })
const as = ({ authorization }: Person, found: Found): Found => ({ ...found, authorization })

const resolving: MakeExample = async (world) => callOn(await withLineComment(world))

export const reviewExamples: Examples = {
  repoListPullReviews: async (world, size) => {
    const found = await withPull(world)
    for (const person of await world.crowd(size))
      await world.must(person, `POST ${found.pull}/reviews`, { event: "COMMENT", body: "a word" })
    return callOn(found)
  },
  repoCreatePullReview: async (world) =>
    callOn(await withPull(world), {
      event: "REQUEST_CHANGES",
      body: "Not so, see #1.",
      comments: [onLine, { path: "a.txt", body: "Why?", old_position: 2 }],
    }),
  repoGetPullReview: async (world) => callOn(await withReview(world)),
  repoSubmitPullReview: async (world) => callOn(await withReview(world, { event: "PENDING" }), { event: "APPROVED", body: "After all." }),
  repoDeletePullReview: async (world) => callOn(await withReview(world)),
  repoGetPullReviewComments: async (world, size) => callOn(await withReview(world, {}, size)),
  repoDismissPullReview: async (world) => {
    const found = await withReview(world, { event: "APPROVED" })
    return callOn(as(found.owner, found), { message: "Things changed.", priors: true })
  },
  repoUnDismissPullReview: async (world) => {
    const found = await withReview(world, { event: "APPROVED" })
    await world.must(found.owner, `POST ${found.pull}/reviews/${found.path.id}/dismissals`, {})
    return callOn(as(found.owner, found))
  },
  repoCreatePullReviewCommentReply: async (world) => callOn(await withLineComment(world), { body: "Because of #1." }),
  repoResolvePullReviewComment: resolving,
  repoUnresolvePullReviewComment: async (world) => {
    const found = await withLineComment(world)
    await world.must(found.owner, `POST /repos/${found.path.owner}/${found.path.repo}/pulls/comments/${found.path.id}/resolve`)
    return callOn(found)
  },
  repoCreatePullReviewRequests: async (world) => {
    const found = await withPull(world)
    return callOn(as(found.owner, found), { reviewers: [found.reviewer.name] })
  },
  repoDeletePullReviewRequests: async (world) => {
    const found = await withPull(world)
    await world.must(found.owner, `POST ${found.pull}/requested_reviewers`, { reviewers: [found.reviewer.name] })
    return callOn(as(found.owner, found), { reviewers: [found.reviewer.name] })
  },
  repoGetReviewers: async (world, size) => {
    const { owner, authorization, path } = await withPull(world)
    for (const { name } of await world.crowd(size))
      await world.must(owner, `PUT /repos/${path.owner}/${path.repo}/collaborators/${name}`, { permission: "read" })
    return { authorization, path }
  },
}
