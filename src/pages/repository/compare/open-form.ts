import { writesKind } from "../../../access/policies/issues.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { choosesReviewers } from "../../../access/policies/reviews.ts"
import { sketch } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named, type Request } from "../../../core/operation.ts"
import type { Draft } from "../../../core/page.ts"
import { takesFiles } from "../../../features/planning/attachments/keep.ts"
import { findPullTemplate } from "../../../features/planning/issue-templates/find.ts"
import { findCandidateAssignees } from "../../../features/planning/issues/assignable.ts"
import { findLabels, ofOrganization, ofRepository } from "../../../features/planning/labels/store.ts"
import { findMilestones } from "../../../features/planning/milestones/store.ts"
import { pullOperations } from "../../../features/review/pulls/operations.ts"
import { findCandidates } from "../../../features/review/reviews/people-store.ts"
import { repositoryPath } from "../../../web/address.ts"
import { type Field, formView, type Option } from "../../../web/form.ts"
import { HELD_PATH, isHeldRecord, openedOrHeld } from "../../parts/held.ts"

/** The form of a new pull request, which stands on the comparison that it is about. */

export const openPull = sketch({
  id: "compare.open",
  address: "POST /{owner}/{repo}/compare/{basehead}",
  does: named(pullOperations, "repoCreatePullRequest"),
  takes: ["base", "head", "title", "body", "reviewers", "assignees", "labels", "milestone", "allow_maintainer_edit"],
  also: ["draft"],
  once: true,
  body: ({ milestone, title, ...body }, { draft }) => {
    const words = typeof title === "string" ? title.trim() : ""
    return {
      ...body,
      title: words,
      ...(draft?.[0] === "true" && { draft: true }),
      ...(typeof milestone === "number" && milestone > 0 && { milestone }),
    }
  },
  done: openedOrHeld,
  to: ({ path, record }) => (isHeldRecord(record) ? HELD_PATH : `/${path.owner}/${path.repo}/pulls/${numberOf(record)}`),
})

const numberOf = (record: unknown): number =>
  typeof record === "object" && record !== null && "number" in record && typeof record.number === "number" ? record.number : 0

type Call = OnRepository & Pick<Request, "services" | "db" | "actor" | "path">

interface Begun {
  readonly base: string
  readonly head: string
  readonly title: string
  readonly body: string
  readonly draft: Draft | undefined
}

/** The most people, labels and milestones that are offered. */
const MOST_OFFERED = 100
const FIRST = { number: 1, limit: MOST_OFFERED, offset: 0 } as const

export async function openForm(call: Call, { base, head, title, body, draft }: Begun): Promise<Html> {
  const { services, path, repository } = call
  const text = body === "" ? await findPullTemplate(services, call) : body
  const about = await offered(call)
  return formView(openPull, {
    path,
    draft,
    submit: t("Create pull request"),
    fields: [
      { kind: "hidden", name: "base", value: base },
      { kind: "hidden", name: "head", value: head },
      { kind: "line", name: "title", label: t("Title"), value: title, required: true, maxlength: 255 },
      {
        kind: "markdown",
        name: "body",
        label: t("Text"),
        value: text,
        rows: 10,
        repository: repositoryPath(call),
        files: takesFiles(services),
        hint: t("“Closes #1” closes that issue when this is merged."),
      },
      { kind: "box", name: "draft", label: t("Draft"), hint: t("Drafts can’t be merged until they are marked as ready.") },
      ...(head.includes(":")
        ? ([
            {
              kind: "box",
              name: "allow_maintainer_edit",
              label: t("Allow edits by maintainers"),
              value: repository.default_allow_maintainer_edit === 1,
            },
          ] as const)
        : []),
      ...(about.length > 0
        ? ([
            {
              kind: "content",
              content: html`
                <details>
                <summary>Reviewers, assignees, labels and milestone</summary>
              `,
            },
            ...about,
            { kind: "content", content: html`</details>` },
          ] as const)
        : []),
    ],
  })
}

/** The fields that this person may fill: whom and what there is to choose. */
async function offered(call: Call): Promise<readonly Field[]> {
  const { db, actor, repository, owner } = call
  if (actor.kind !== "user") return []
  const { user } = actor
  const fields: Field[] = []
  const boxes = (name: string, label: Text, options: readonly Option[]) => {
    if (options.length > 0) fields.push({ kind: "boxes", name, label, options: options.slice(0, MOST_OFFERED) })
  }
  if (await choosesReviewers(db, call, user)) {
    const people = await findCandidates(db, { repositoryId: repository.id, ownerId: owner.id })
    boxes(
      "reviewers",
      t("Reviewers"),
      people.filter(({ id }) => id !== user.id).map(({ name }) => [name, name]),
    )
  }
  if (!writesKind(call, { is_pull: 1 })) return fields
  boxes(
    "assignees",
    t("Assignees"),
    (await findCandidateAssignees(db, call)).map(({ name }) => [name, name]),
  )
  const shared = owner.kind === "organization" ? (await findLabels(db, ofOrganization(owner.id), "alphabetically", FIRST)).rows : []
  const own = (await findLabels(db, ofRepository(repository.id), "alphabetically", FIRST)).rows
  boxes(
    "labels",
    t("Labels"),
    [...own, ...shared].filter(({ is_archived }) => is_archived === 0).map(({ id, name }) => [String(id), name]),
  )
  const milestones = (await findMilestones(db, repository.id, { state: "open", title: "" }, FIRST)).rows
  if (milestones.length > 0)
    fields.push({
      kind: "menu",
      name: "milestone",
      label: t("Milestone"),
      options: [["", t("None")], ...milestones.map(({ id, title }): Option => [String(id), title])],
    })
  return fields
}
