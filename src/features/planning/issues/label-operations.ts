import { type OnIssue, onIssue, onIssueAsWriter } from "../../../access/policies/issues.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { presentLabel } from "../labels/present.ts"
import { Label } from "../labels/records.ts"
import { findIssueLabels, findUsableLabelsById } from "../labels/store.ts"
import { type LabelNames, setIssueLabels, usableLabels } from "./labels.ts"
import { IssueLabelsOption } from "./records.ts"

const shared = { tag: "issue", scope: ["issue"] } as const
const USABLE = "Labels of the repository and of the organisation that owns it, all by id or all by name."

async function labelsOf(db: Handle, services: Services, { owner, repository, issue }: OnIssue) {
  const labels = await findIssueLabels(db, { issueId: issue.id })
  return labels.map((label) => presentLabel(services.site, { owner, repository }, label))
}

/** Refuses a list of anything but ids or names, or of both; as `badRequest`, which existing clients expect. */
function readNames(labels: readonly unknown[]): LabelNames {
  const ids = labels.filter((label) => Number.isInteger(label)).filter((label) => typeof label === "number")
  if (ids.length === labels.length) return ids
  const names = labels.filter((label) => typeof label === "string")
  if (names.length === labels.length) return names
  throw refuse.badRequest("labels must be either all ids, which are integers, or all names, which are texts")
}

/** The labels of one issue or pull request. */
export const issueLabelOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "issueGetLabels",
    route: "GET /repos/{owner}/{repo}/issues/{index}/labels",
    summary: "List an issue's labels",
    description: "All of them, by name.",
    access: onIssue,
    answers: { 200: Type.Array(Label) },
    refuses: ["notFound"],
    handle: async ({ db, services, ...found }) => ok(await labelsOf(db, services, found)),
  }),

  operation({
    ...shared,
    id: "issueAddLabel",
    route: "POST /repos/{owner}/{repo}/issues/{index}/labels",
    summary: "Add labels to an issue",
    description: `${USABLE} An exclusive one drives out others of its scope.`,
    access: onIssueAsWriter,
    archived: "refused",
    body: IssueLabelsOption,
    answers: { 200: Type.Array(Label) },
    refuses: ["badRequest", "forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ services, body, me, ...found }) => {
      const named = readNames(body.labels)
      return services.database.write(async (tx) => {
        const labels = await usableLabels(tx, found.repository, found.owner, named)
        await setIssueLabels(tx, { ...found, labels, mode: "add", actor: me, now: services.now() })
        return ok(await labelsOf(tx, services, found))
      })
    },
  }),

  operation({
    ...shared,
    id: "issueReplaceLabels",
    route: "PUT /repos/{owner}/{repo}/issues/{index}/labels",
    summary: "Replace an issue's labels",
    description: `${USABLE} Of exclusive ones of one scope the last by name stays; an empty list takes all off.`,
    access: onIssueAsWriter,
    archived: "refused",
    body: IssueLabelsOption,
    answers: { 200: Type.Array(Label) },
    refuses: ["badRequest", "forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ services, body, me, ...found }) => {
      const named = readNames(body.labels)
      return services.database.write(async (tx) => {
        const labels = await usableLabels(tx, found.repository, found.owner, named)
        await setIssueLabels(tx, { ...found, labels, mode: "replace", actor: me, now: services.now() })
        return ok(await labelsOf(tx, services, found))
      })
    },
  }),

  operation({
    ...shared,
    id: "issueClearLabels",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/labels",
    summary: "Remove all labels from an issue",
    access: onIssueAsWriter,
    archived: "refused",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, owner, repository, issue }) => {
      const change = { owner, repository, issue, labels: [], mode: "clear", actor: me, now: services.now() } as const
      await services.database.write((tx) => setIssueLabels(tx, change))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "issueRemoveLabel",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/labels/{id}",
    summary: "Remove a label from an issue",
    description: "One that the issue does not bear is no mistake.",
    access: onIssueAsWriter,
    archived: "refused",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, owner, repository, issue, path }) => {
      await services.database.write(async (tx) => {
        const labels = await findUsableLabelsById(tx, { repositoryId: repository.id, ownerId: owner.id, ids: [path.id] })
        if (labels.length === 0) throw refuse.notFound()
        await setIssueLabels(tx, { issue, labels, mode: "remove", actor: me, now: services.now() })
      })
      return noContent()
    },
  }),
]
