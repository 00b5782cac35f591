import { commitWorkflow, finishRun } from "../../../src/features/actions/testing.ts"
import type { Call, Case, Scene } from "./case.ts"

/** A call by alice on her repository, after another one. */
const call =
  (route: string, body?: object, ...before: readonly (readonly [route: string, body?: object])[]) =>
  async ({ world, repo, must }: Scene): Promise<Call> => {
    const at = (given: string) => given.replace(" ", ` ${repo.at}`)
    for (const [earlier, sent] of before) await must(world.alice, at(earlier), sent)
    return { by: world.alice, route: at(route), body }
  }

/** A call on something that another call has created. */
const onMade =
  (made: string, sent: object, method: string, body?: object, key = "id") =>
  async ({ world, repo, must }: Scene): Promise<Call> => {
    const given = await must(world.alice, `POST ${repo.at}${made}`, sent)
    return { by: world.alice, route: `${method} ${repo.at}${made}/${given[key]}`, body }
  }

const offered = async ({ world, repo, must }: Scene): Promise<void> =>
  void (await must(world.alice, `POST ${repo.at}/transfer`, { new_owner: "carol" }))

const run = async ({ world, repo, must }: Scene): Promise<number> => {
  await commitWorkflow(world, world.alice ?? "", `alice/${repo.name}`)
  const { id } = (await must(world.alice, `GET ${repo.at}/actions/runs`)).workflow_runs[0]
  await finishRun(world, id, "success")
  return id
}

const file = { content: Buffer.from("text\n").toString("base64"), message: "Write" }

export const repositoryCases: readonly Case[] = [
  {
    name: "a repository is starred",
    prepare: async ({ world, repo }) => ({ by: world.carol, route: `PUT /user/starred/alice/${repo.name}` }),
    first: 204,
    others: 204,
    leaves: { stars: 1, activities: 2 },
  },
  {
    name: "a repository is unstarred",
    prepare: async ({ world, repo, must }) => {
      await must(world.carol, `PUT /user/starred/alice/${repo.name}`)
      return { by: world.carol, route: `DELETE /user/starred/alice/${repo.name}` }
    },
    first: 204,
    others: 204,
    leaves: { stars: -1 },
  },
  {
    name: "a repository is watched",
    prepare: async ({ world, repo }) => ({ by: world.carol, route: `PUT ${repo.at}/subscription` }),
    first: 200,
    others: 200,
    leaves: { activities: 2, watches: 1 },
  },
  {
    name: "a repository is watched no more",
    prepare: async ({ world, repo, must }) => {
      await must(world.carol, `PUT ${repo.at}/subscription`)
      return { by: world.carol, route: `DELETE ${repo.at}/subscription` }
    },
    first: 204,
    others: 204,
    leaves: { watches: -1 },
  },
  {
    name: "a repository is forked",
    prepare: async ({ world, repo }) => ({ by: world.carol, route: `POST ${repo.at}/forks`, body: {} }),
    first: 202,
    others: 409,
    leaves: { repositories: 1, repository_languages: 1, branches: 1, activities: 1, webhook_deliveries: 1, watches: 1 },
  },
  {
    name: "a transfer is offered",
    prepare: call("POST /transfer", { new_owner: "carol" }),
    first: 201,
    others: 409,
    leaves: { notifications: 1, repository_transfers: 1 },
  },
  {
    name: "a transfer is accepted",
    prepare: async (scene) => {
      await offered(scene)
      return { by: scene.world.carol, route: `POST ${scene.repo.at}/transfer/accept` }
    },
    first: 202,
    others: 301,
    // One that found the repository at its old owner finds no offer.
    overlapping: [404],
    leaves: { activities: 2, repository_redirects: 1, repository_transfers: -1 },
  },
  {
    name: "a transfer is rejected",
    prepare: async (scene) => {
      await offered(scene)
      return { by: scene.world.carol, route: `POST ${scene.repo.at}/transfer/reject` }
    },
    first: 200,
    others: 404,
    leaves: { repository_transfers: -1 },
  },
  {
    name: "a collaborator is added",
    prepare: call("PUT /collaborators/carol", { permission: "write" }),
    first: 204,
    others: 204,
    leaves: { collaborations: 1 },
  },
  {
    name: "a collaborator gets another mode",
    prepare: call("PUT /collaborators/bob", { permission: "read" }),
    first: 204,
    others: 204,
    leaves: {},
  },
  {
    name: "a collaborator is removed",
    prepare: call("DELETE /collaborators/bob"),
    first: 204,
    others: 204,
    leaves: { collaborations: -1 },
  },
  {
    name: "a topic is added",
    prepare: async (scene) => call(`PUT /topics/${scene.unique("topic")}`)(scene),
    first: 204,
    others: 204,
    leaves: { topics: 1, repository_topics: 1 },
  },
  {
    name: "a topic is removed",
    prepare: call("DELETE /topics/garden", undefined, ["PUT /topics/garden"]),
    first: 204,
    others: 404,
    leaves: { repository_topics: -1 },
  },
  {
    name: "a branch is created",
    prepare: call("POST /branches", { new_branch_name: "b" }),
    first: 201,
    others: 409,
    leaves: { branches: 1, activities: 1, webhook_deliveries: 2 },
  },
  {
    name: "a branch is deleted",
    prepare: call("DELETE /branches/b", undefined, ["POST /branches", { new_branch_name: "b" }]),
    first: 204,
    others: 404,
    // One that found it finds that it has changed. Asking again is answered that it is gone.
    overlapping: [409],
    leaves: { branches: -1, activities: 1, webhook_deliveries: 1 },
  },
  {
    name: "a branch is renamed",
    prepare: call("PATCH /branches/b", { name: "c" }, ["POST /branches", { new_branch_name: "b" }]),
    first: 204,
    others: 422,
    // One that found the new name unused finds the old one gone, at once or when it renames the branch.
    overlapping: [404, 409],
    leaves: { branch_redirects: 1, activities: 2, webhook_deliveries: 2 },
  },
  {
    name: "a rule for branches is made",
    prepare: call("POST /branch_protections", { rule_name: "main" }),
    first: 201,
    others: 403,
    leaves: { branch_protections: 1 },
  },
  {
    name: "a rule for branches is deleted",
    prepare: call("DELETE /branch_protections/main", undefined, ["POST /branch_protections", { rule_name: "main" }]),
    first: 204,
    others: 404,
    leaves: { branch_protections: -1 },
  },
  {
    name: "a file is created",
    prepare: call("POST /contents/new.txt", file),
    first: 201,
    others: 422,
    leaves: { activities: 1, webhook_deliveries: 1 },
  },
  {
    name: "a tag is created",
    prepare: call("POST /tags", { tag_name: "v1" }),
    first: 201,
    others: 409,
    leaves: { tags: 1, activities: 1, webhook_deliveries: 2 },
  },
  {
    name: "a tag is deleted",
    prepare: call("DELETE /tags/v1", undefined, ["POST /tags", { tag_name: "v1" }]),
    first: 204,
    others: 404,
    // One that found it finds that it has changed. Asking again is answered that it is gone.
    overlapping: [409],
    leaves: { tags: -1, activities: 1, webhook_deliveries: 2 },
  },
  {
    name: "a release is made with its tag",
    prepare: call("POST /releases", { tag_name: "v1" }),
    first: 201,
    others: 409,
    leaves: { tags: 1, activities: 2, webhook_deliveries: 3, releases: 1 },
  },
  {
    name: "a release is made of a tag",
    prepare: call("POST /releases", { tag_name: "v1" }, ["POST /tags", { tag_name: "v1" }]),
    first: 201,
    others: 409,
    leaves: { activities: 1, webhook_deliveries: 1, releases: 1 },
  },
  {
    name: "a draft is published with its tag",
    prepare: onMade("/releases", { tag_name: "v1", draft: true }, "PATCH", { draft: false }),
    first: 200,
    others: 200,
    leaves: { tags: 1, activities: 2, webhook_deliveries: 3 },
  },
  {
    name: "a release is deleted",
    prepare: onMade("/releases", { tag_name: "v1" }, "DELETE"),
    first: 204,
    others: 404,
    leaves: { webhook_deliveries: 1, releases: -1 },
  },
  {
    name: "a draft is published whose tag is there",
    prepare: async (scene) => {
      await scene.must(scene.world.alice, `POST ${scene.repo.at}/tags`, { tag_name: "v1" })
      return onMade("/releases", { tag_name: "v1", draft: true }, "PATCH", { draft: false })(scene)
    },
    first: 200,
    others: 200,
    leaves: { activities: 1, webhook_deliveries: 1 },
  },
  {
    name: "a webhook is deleted",
    prepare: onMade("/hooks", { type: "gitea", config: { url: "http://127.0.0.1:9", content_type: "json" } }, "DELETE"),
    first: 204,
    others: 404,
    leaves: { webhooks: -1 },
  },
  {
    name: "a repository is renamed",
    prepare: async (scene) => call("PATCH ", { name: scene.unique("renamed") })(scene),
    first: 200,
    others: 301,
    // One that found the repository by its old name finds that it has the new one.
    overlapping: [200],
    leaves: { activities: 1, repository_redirects: 1, webhook_deliveries: 1 },
  },
  { name: "a repository is archived", prepare: call("PATCH ", { archived: true }), first: 200, others: 200, leaves: {} },
  {
    name: "a repository is deleted",
    prepare: call("DELETE "),
    first: 204,
    others: 404,
    // Its row, and what it has in git, are kept for a while.
    leaves: { webhooks: -1, collaborations: -1, watches: -1 },
  },
  {
    name: "a repository is made",
    prepare: async ({ world, unique }) => ({ by: world.alice, route: "POST /user/repos", body: { name: unique("made") } }),
    first: 201,
    others: 409,
    leaves: { repositories: 1, activities: 1, watches: 1 },
  },
  {
    name: "a variable is made",
    prepare: call("POST /actions/variables/LEVEL", { value: "high" }),
    first: 201,
    others: 409,
    leaves: { action_variables: 1 },
  },
  {
    name: "a variable is deleted",
    prepare: call("DELETE /actions/variables/LEVEL", undefined, ["POST /actions/variables/LEVEL", { value: "high" }]),
    first: 204,
    others: 404,
    leaves: { action_variables: -1 },
  },
  {
    name: "a secret is set",
    prepare: call("PUT /actions/secrets/PASS", { data: "word" }),
    first: 201,
    others: 204,
    // The others write it again, and whether a sealed value is the same as before is not looked at.
    each: ["secret.edited"],
    leaves: { action_secrets: 1 },
  },
  {
    name: "a workflow is disabled",
    prepare: async (scene) => {
      await run(scene)
      return call("PUT /actions/workflows/build.yml/disable")(scene)
    },
    first: 204,
    others: 204,
    leaves: { disabled_workflows: 1 },
  },
  {
    name: "a run is deleted",
    prepare: async (scene) => ({ by: scene.world.alice, route: `DELETE ${scene.repo.at}/actions/runs/${await run(scene)}` }),
    first: 204,
    others: 404,
    leaves: { action_runs: -1, action_jobs: -2, action_attempts: -1 },
  },
]
