import type { Case, Scene } from "./case.ts"

const pull = async ({ repo }: Scene): Promise<string> => {
  await repo.commit("topic", "topic.txt", "topic\n")
  return `${repo.at}/pulls/${await repo.pull("topic")}`
}

/** A pull request that is merged once its check succeeds. */
const scheduled = async (scene: Scene): Promise<string> => {
  const { must, world, repo } = scene
  const at = await pull(scene)
  const rule = { rule_name: "main", enable_status_check: true, status_check_contexts: ["ci"] }
  await must(world.alice, `POST ${repo.at}/branch_protections`, rule)
  await must(world.alice, `POST ${at}/merge`, later)
  return at
}
const later = { do: "merge", merge_when_checks_succeed: true }

/** A review of bob's. */
const review = async (scene: Scene, event: string): Promise<string> => {
  const at = await pull(scene)
  const comments = [{ path: "topic.txt", body: "Here.", new_position: 1 }]
  const { id } = await scene.must(scene.world.bob, `POST ${at}/reviews`, { event, body: "Words.", comments })
  return `${at}/reviews/${id}`
}

const merged = (style: string): Case => ({
  name: `a pull request is merged by ${style}`,
  prepare: async (scene) => ({ by: scene.world.bob, route: `POST ${await pull(scene)}/merge`, body: { do: style } }),
  first: 200,
  others: 405,
  leaves: { notifications: 1, comments: 1, activities: 4, webhook_deliveries: 2 },
})

export const pullCases: readonly Case[] = [
  ...["merge", "squash", "rebase", "rebase-merge", "fast-forward-only"].map(merged),
  {
    name: "a pull request that brings nothing new is merged",
    prepare: async (scene) => {
      const at = await pull(scene)
      await scene.repo.commit("main", "topic.txt", "topic\n", "The same change")
      return { by: scene.world.bob, route: `POST ${at}/merge`, body: { do: "rebase" } }
    },
    first: 200,
    others: 405,
    leaves: { notifications: 1, comments: 1, activities: 2, webhook_deliveries: 1 },
  },
  {
    name: "a merge is scheduled",
    prepare: async (scene) => {
      const at = await scheduled(scene)
      await scene.must(scene.world.alice, `DELETE ${at}/merge`)
      return { by: scene.world.alice, route: `POST ${at}/merge`, body: later }
    },
    first: 201,
    others: 409,
    leaves: { pull_schedules: 1, comments: 1 },
  },
  {
    name: "a scheduled merge is cancelled",
    prepare: async (scene) => ({ by: scene.world.alice, route: `DELETE ${await scheduled(scene)}/merge` }),
    first: 204,
    others: 404,
    leaves: { pull_schedules: -1, comments: 1 },
  },
  {
    name: "a scheduled merge comes about",
    prepare: async (scene) => {
      await scheduled(scene)
      const head = await scene.repo.tip("topic")
      return { by: scene.world.alice, route: `POST ${scene.repo.at}/statuses/${head}`, body: { context: "ci", state: "success" } }
    },
    first: 201,
    others: 201,
    leaves: { pull_schedules: -1, commit_statuses: 3, comments: 1, activities: 2, webhook_deliveries: 5 },
  },
  {
    name: "a pull request is created",
    prepare: async (scene) => {
      await scene.repo.commit("topic", "topic.txt", "topic\n")
      return { by: scene.world.bob, route: `POST ${scene.repo.at}/pulls`, body: { head: "topic", base: "main", title: "Topic" } }
    },
    first: 201,
    others: 409,
    leaves: {
      pulls: 1,
      pull_versions: 1,
      notifications: 1,
      issue_counters: 1,
      issues: 1,
      comments: 1,
      activities: 2,
      webhook_deliveries: 1,
    },
  },
  {
    name: "a pull request is closed",
    prepare: async (scene) => ({ by: scene.world.alice, route: `PATCH ${await pull(scene)}`, body: { state: "closed" } }),
    first: 201,
    others: 201,
    leaves: { comments: 1, activities: 1, webhook_deliveries: 1 },
  },
  {
    name: "a pull request is reopened",
    prepare: async (scene) => {
      const at = await pull(scene)
      await scene.must(scene.world.alice, `PATCH ${at}`, { state: "closed" })
      return { by: scene.world.alice, route: `PATCH ${at}`, body: { state: "open" } }
    },
    first: 201,
    others: 201,
    leaves: { comments: 1, activities: 1, webhook_deliveries: 1 },
  },
  {
    name: "a pull request goes into another branch",
    prepare: async (scene) => {
      const at = await pull(scene)
      await scene.repo.commit("other", "other.txt", "other\n")
      return { by: scene.world.alice, route: `PATCH ${at}`, body: { base: "other" } }
    },
    first: 201,
    others: 201,
    leaves: { comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "a pull request is brought up to date",
    prepare: async (scene) => {
      const at = await pull(scene)
      await scene.repo.commit("main", "news.txt", "news\n")
      return { by: scene.world.alice, route: `POST ${at}/update` }
    },
    first: 200,
    others: 422,
    // One that has merged before finds that the head has moved. Asking again is answered that it is up to date.
    overlapping: [409],
    leaves: { pull_versions: 1, comments: 1, activities: 1, webhook_deliveries: 2 },
  },
  {
    name: "a pending review is submitted",
    prepare: async (scene) => ({
      by: scene.world.bob,
      route: `POST ${await review(scene, "PENDING")}`,
      body: { event: "APPROVED", body: "Fine." },
    }),
    first: 200,
    others: 422,
    leaves: { notifications: 1, activities: 4, webhook_deliveries: 1 },
  },
  {
    name: "a review is begun",
    prepare: async (scene) => ({ by: scene.world.bob, route: `POST ${await pull(scene)}/reviews`, body: { body: "So far." } }),
    first: 200,
    others: 200,
    leaves: { reviews: 1, comments: 1 },
  },
  {
    name: "a review is dismissed",
    prepare: async (scene) => ({
      by: scene.world.alice,
      route: `POST ${await review(scene, "REQUEST_CHANGES")}/dismissals`,
      body: { message: "Settled." },
    }),
    first: 200,
    others: 200,
    leaves: { notifications: 1, comments: 1, activities: 1 },
  },
  {
    name: "a dismissal is taken back",
    prepare: async (scene) => {
      const at = await review(scene, "REQUEST_CHANGES")
      await scene.must(scene.world.alice, `POST ${at}/dismissals`, { message: "Settled." })
      return { by: scene.world.alice, route: `POST ${at}/undismissals` }
    },
    first: 200,
    others: 200,
    leaves: {},
  },
  {
    name: "a review is deleted",
    prepare: async (scene) => ({ by: scene.world.bob, route: `DELETE ${await review(scene, "PENDING")}` }),
    first: 204,
    others: 404,
    leaves: { reviews: -1, comments: -2, review_comments: -1 },
  },
  {
    name: "a comment on a line is resolved",
    prepare: async (scene) => {
      const [comment] = await scene.must(scene.world.bob, `GET ${await review(scene, "COMMENT")}/comments`)
      return { by: scene.world.alice, route: `POST ${scene.repo.at}/pulls/comments/${comment.id}/resolve` }
    },
    first: 204,
    others: 204,
    leaves: {},
  },
  {
    name: "a review is requested",
    prepare: async (scene) => ({
      by: scene.world.alice,
      route: `POST ${await pull(scene)}/requested_reviewers`,
      body: { reviewers: ["bob"] },
    }),
    first: 201,
    others: 201,
    leaves: { reviews: 1, notifications: 1, comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "a request for a review is taken back",
    prepare: async (scene) => {
      const at = await pull(scene)
      await scene.must(scene.world.alice, `POST ${at}/requested_reviewers`, { reviewers: ["bob"] })
      return { by: scene.world.alice, route: `DELETE ${at}/requested_reviewers`, body: { reviewers: ["bob"] } }
    },
    first: 204,
    others: 204,
    leaves: { reviews: -1, comments: 1, webhook_deliveries: 1 },
  },
]
