import type { Case, Scene } from "./case.ts"

const issue = async ({ must, world, repo }: Scene, more: object = {}): Promise<number> =>
  (await must(world.alice, `POST ${repo.at}/issues`, { title: "An issue", ...more })).number

const label = async ({ must, world, repo }: Scene): Promise<number> =>
  (await must(world.alice, `POST ${repo.at}/labels`, { name: "bug", color: "#ff0000" })).id

const milestone = async ({ must, world, repo }: Scene): Promise<number> =>
  (await must(world.alice, `POST ${repo.at}/milestones`, { title: "1.0" })).id

/** A call on a new issue by alice, who has all rights. */
const onIssue =
  (method: string, path = "", body?: object, before: (scene: Scene, at: string) => Promise<unknown> = async () => {}) =>
  async (scene: Scene) => {
    const at = `${scene.repo.at}/issues/${await issue(scene)}`
    await before(scene, at)
    return { by: scene.world.alice, route: `${method} ${at}${path}`, body }
  }

/** The same, after another call on it. */
const after =
  (route: string, body?: object) =>
  ({ must, world }: Scene, at: string): Promise<unknown> => {
    const [method = "", path = ""] = route.split(" ")
    return must(world.alice, `${method} ${at}${path}`, body)
  }

const board = async (scene: Scene) => {
  const { must, world, repo } = scene
  const at = `${repo.at}/projects`
  const { id } = await must(world.alice, `POST ${at}`, { title: "Board", template_type: "basic_kanban" })
  const [first, second] = await must(world.alice, `GET ${at}/${id}/columns`)
  const made = await must(world.alice, `POST ${repo.at}/issues`, { title: "A card" })
  const card = `${at}/${id}/columns/${first.id}/issues/${made.id}`
  return { at: `${at}/${id}`, first: first.id, second: second.id, issueId: made.id, card }
}

export const issueCases: readonly Case[] = [
  {
    name: "an issue is closed",
    prepare: onIssue("PATCH", "", { state: "closed" }),
    first: 201,
    others: 201,
    leaves: { comments: 1, activities: 1, webhook_deliveries: 1 },
  },
  {
    name: "an issue is reopened",
    prepare: onIssue("PATCH", "", { state: "open" }, after("PATCH ", { state: "closed" })),
    first: 201,
    others: 201,
    leaves: { comments: 1, activities: 1, webhook_deliveries: 1 },
  },
  {
    name: "an issue gets a title",
    prepare: onIssue("PATCH", "", { title: "Another" }),
    first: 201,
    others: 201,
    leaves: { comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "an issue gets a deadline",
    prepare: onIssue("POST", "/deadline", { due_date: "2030-01-01T00:00:00Z" }),
    first: 201,
    others: 201,
    leaves: { comments: 1 },
  },
  { name: "an issue is locked", prepare: onIssue("PUT", "/lock", {}), first: 204, others: 204, leaves: { comments: 1 } },
  {
    name: "an issue is unlocked",
    prepare: onIssue("DELETE", "/lock", undefined, after("PUT /lock", {})),
    first: 204,
    others: 204,
    leaves: { comments: 1 },
  },
  { name: "an issue is pinned", prepare: onIssue("POST", "/pin"), first: 204, others: 400, leaves: { comments: 1 } },
  {
    name: "an issue is unpinned",
    prepare: onIssue("DELETE", "/pin", undefined, after("POST /pin")),
    first: 204,
    others: 204,
    leaves: { comments: 1 },
  },
  {
    name: "a stopwatch is started",
    prepare: onIssue("POST", "/stopwatch/start"),
    first: 201,
    others: 409,
    leaves: { stopwatches: 1, comments: 1 },
  },
  {
    name: "a stopwatch is stopped",
    prepare: onIssue("POST", "/stopwatch/stop", undefined, after("POST /stopwatch/start")),
    first: 201,
    others: 409,
    leaves: { stopwatches: -1, tracked_times: 1, comments: 1 },
  },
  {
    name: "a stopwatch is cancelled",
    prepare: onIssue("DELETE", "/stopwatch/delete", undefined, after("POST /stopwatch/start")),
    first: 204,
    others: 409,
    leaves: { stopwatches: -1, comments: 1 },
  },
  {
    name: "times are reset",
    prepare: onIssue("DELETE", "/times", undefined, after("POST /times", { time: 60 })),
    first: 204,
    others: 404,
    leaves: { comments: 1 },
  },
  {
    name: "a tracked time is deleted",
    prepare: async (scene) => {
      const at = `${scene.repo.at}/issues/${await issue(scene)}`
      const { id } = await scene.must(scene.world.alice, `POST ${at}/times`, { time: 60 })
      return { by: scene.world.alice, route: `DELETE ${at}/times/${id}` }
    },
    first: 204,
    others: 404,
    leaves: { comments: 1 },
  },
  {
    name: "an issue is deleted",
    prepare: onIssue("DELETE"),
    first: 204,
    others: 404,
    leaves: { issues: -1, activities: -1, webhook_deliveries: 1 },
  },
  {
    name: "a comment is deleted",
    prepare: async (scene) => {
      const { id } = await scene.must(scene.world.alice, `POST ${scene.repo.at}/issues/${await issue(scene)}/comments`, { body: "Words." })
      return { by: scene.world.alice, route: `DELETE ${scene.repo.at}/issues/comments/${id}` }
    },
    first: 204,
    others: 404,
    leaves: { comments: -1, webhook_deliveries: 1 },
  },
  {
    name: "a comment is changed",
    prepare: async (scene) => {
      const { id } = await scene.must(scene.world.alice, `POST ${scene.repo.at}/issues/${await issue(scene)}/comments`, { body: "Words." })
      return { by: scene.world.alice, route: `PATCH ${scene.repo.at}/issues/comments/${id}`, body: { body: "Other words." } }
    },
    first: 200,
    others: 200,
    leaves: { text_versions: 2, webhook_deliveries: 1 },
  },
  {
    name: "a reaction is given",
    prepare: onIssue("POST", "/reactions", { content: "+1" }),
    first: 201,
    others: 200,
    leaves: { reactions: 1 },
  },
  {
    name: "a reaction is taken back",
    prepare: onIssue("DELETE", "/reactions", { content: "+1" }, after("POST /reactions", { content: "+1" })),
    first: 204,
    others: 204,
    leaves: { reactions: -1 },
  },
  {
    name: "a user is assigned",
    prepare: onIssue("POST", "/assignees", { assignees: ["bob"] }),
    first: 201,
    others: 201,
    leaves: { notifications: 1, issue_assignees: 1, comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "a user is unassigned",
    prepare: onIssue("DELETE", "/assignees", { assignees: ["bob"] }, after("POST /assignees", { assignees: ["bob"] })),
    first: 200,
    others: 200,
    leaves: { issue_assignees: -1, comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "a user subscribes to an issue",
    prepare: async (scene) => ({ by: scene.world.carol, route: `PUT ${scene.repo.at}/issues/${await issue(scene)}/subscriptions/carol` }),
    first: 201,
    others: 200,
    leaves: { issue_watches: 1 },
  },
  {
    name: "a label is put on",
    prepare: async (scene) => onIssue("POST", "/labels", { labels: [await label(scene)] })(scene),
    first: 200,
    others: 200,
    leaves: { issue_labels: 1, comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "labels are replaced",
    prepare: async (scene) => onIssue("PUT", "/labels", { labels: [await label(scene)] })(scene),
    first: 200,
    others: 200,
    leaves: { issue_labels: 1, comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "a label is taken off",
    prepare: async (scene) => {
      const id = await label(scene)
      return onIssue("DELETE", `/labels/${id}`, undefined, after("POST /labels", { labels: [id] }))(scene)
    },
    first: 204,
    others: 204,
    leaves: { issue_labels: -1, comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "all labels are taken off",
    prepare: async (scene) => {
      const id = await label(scene)
      return onIssue("DELETE", "/labels", undefined, after("POST /labels", { labels: [id] }))(scene)
    },
    first: 204,
    others: 204,
    leaves: { issue_labels: -1, comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "a label is deleted",
    prepare: async (scene) => {
      const id = await label(scene)
      await issue(scene, { labels: [id] })
      return { by: scene.world.alice, route: `DELETE ${scene.repo.at}/labels/${id}` }
    },
    first: 204,
    others: 204,
    leaves: { issue_labels: -1, comments: -1, labels: -1 },
  },
  {
    name: "an issue gets a milestone",
    prepare: async (scene) => onIssue("PATCH", "", { milestone: await milestone(scene) })(scene),
    first: 201,
    others: 201,
    leaves: { comments: 1, webhook_deliveries: 1 },
  },
  {
    name: "a milestone is closed",
    prepare: async (scene) => {
      const id = await milestone(scene)
      await issue(scene, { milestone: id })
      return { by: scene.world.alice, route: `PATCH ${scene.repo.at}/milestones/${id}`, body: { state: "closed" } }
    },
    first: 200,
    others: 200,
    leaves: {},
  },
  {
    name: "a milestone is deleted",
    prepare: async (scene) => {
      const id = await milestone(scene)
      await issue(scene, { milestone: id })
      return { by: scene.world.alice, route: `DELETE ${scene.repo.at}/milestones/${id}` }
    },
    first: 204,
    others: 404,
    leaves: { milestones: -1 },
  },
  {
    name: "an issue waits for another",
    prepare: async (scene) => onIssue("POST", "/dependencies", { owner: "alice", repo: scene.repo.name, index: await issue(scene) })(scene),
    first: 201,
    others: 409,
    leaves: { issue_dependencies: 1, comments: 2 },
  },
  {
    name: "an issue waits for another no more",
    prepare: async (scene) => {
      const other = { owner: "alice", repo: scene.repo.name, index: await issue(scene) }
      return onIssue("DELETE", "/dependencies", other, after("POST /dependencies", other))(scene)
    },
    first: 201,
    others: 404,
    leaves: { issue_dependencies: -1, comments: 2 },
  },
  {
    name: "a card is put on a board",
    prepare: async (scene) => ({ by: scene.world.alice, route: `POST ${(await board(scene)).card}` }),
    first: 201,
    others: 201,
    leaves: { project_cards: 1, comments: 1 },
  },
  {
    name: "a card is moved",
    prepare: async (scene) => {
      const { at, card, second, issueId } = await board(scene)
      await scene.must(scene.world.alice, `POST ${card}`)
      return { by: scene.world.alice, route: `POST ${at}/issues/${issueId}/move`, body: { column_id: second } }
    },
    first: 204,
    others: 204,
    leaves: { comments: 1 },
  },
  {
    name: "a card is taken off",
    prepare: async (scene) => {
      const { card } = await board(scene)
      await scene.must(scene.world.alice, `POST ${card}`)
      return { by: scene.world.alice, route: `DELETE ${card}` }
    },
    first: 204,
    others: 404,
    leaves: { project_cards: -1, comments: 1 },
  },
  {
    name: "a column is deleted",
    prepare: async (scene) => {
      const { at, second } = await board(scene)
      return { by: scene.world.alice, route: `DELETE ${at}/columns/${second}` }
    },
    first: 204,
    others: 404,
    leaves: { project_columns: -1 },
  },
  {
    name: "a board is closed",
    prepare: async (scene) => ({ by: scene.world.alice, route: `PATCH ${(await board(scene)).at}`, body: { state: "closed" } }),
    first: 200,
    others: 200,
    leaves: {},
  },
  {
    name: "a board is deleted",
    prepare: async (scene) => {
      const { at, card } = await board(scene)
      await scene.must(scene.world.alice, `POST ${card}`)
      return { by: scene.world.alice, route: `DELETE ${at}` }
    },
    first: 204,
    others: 404,
    leaves: { project_cards: -1, project_columns: -4, projects: -1 },
  },
]
