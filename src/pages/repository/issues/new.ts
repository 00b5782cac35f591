import { onIssuesAsReporter, writesKind } from "../../../access/policies/issues.ts"
import { type OnRepository, requireUnarchived } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { memberOf } from "../../../core/check.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { form } from "../../../core/forms/form.ts"
import { type Content, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named, type Request } from "../../../core/operation.ts"
import { moved, type Page, page, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { takesFiles } from "../../../features/planning/attachments/keep.ts"
import { type Answers, checkAnswers, markdownOf, readAnswers } from "../../../features/planning/issue-templates/answers.ts"
import { findConfig, findTemplates } from "../../../features/planning/issue-templates/find.ts"
import type { IssueTemplate } from "../../../features/planning/issue-templates/records.ts"
import { findCandidateAssignees } from "../../../features/planning/issues/assignable.ts"
import { createIssue } from "../../../features/planning/issues/create.ts"
import { findOffered } from "../../../features/planning/issues/filter-store.ts"
import { issueOperations } from "../../../features/planning/issues/operations.ts"
import { findUsableLabelsByName } from "../../../features/planning/labels/store.ts"
import { gateAt } from "../../../features/planning/newcomers/gate.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { field, notice } from "../../../web/components.ts"
import { type Field, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { problem } from "../../../web/problem.ts"
import { HELD_PATH, HELD_WORDS, isHeldRecord, openedOrHeld } from "../../parts/held.ts"
import { labelsCreatedAt, labelsField, milestoneField, peopleField, pickerField, projectsField } from "../../parts/picker.ts"
import { renderTexts } from "../../parts/texts.ts"
import { repositoryPage } from "../frame.ts"
import { formFields } from "./new-form-view.ts"

/** The pages on which issues are opened: the choice of templates, an empty text, one from a template, and forms. */

const text = Type.Optional(Type.String())

type Call = OnRepository & Me & Request

async function begin(call: OnRepository & Request) {
  requireUnarchived(call)
  return { templates: await findTemplates(call.services, call), config: (await findConfig(call.services, call)).config }
}

/** A template is named by its path, or by the name of its file. */
const isNamed = (path: string, name: string): boolean => path === name || path.slice(path.lastIndexOf("/") + 1) === name

async function templateNamed(call: OnRepository & Request, name: string): Promise<IssueTemplate | undefined> {
  return name === "" ? undefined : (await begin(call)).templates.find(({ file_name }) => isNamed(file_name, name))
}

/** What a template gives to the issue, as far as it is there. */
async function extrasOf({ db, repository, owner }: OnRepository & Request, { labels, assignees, ref }: IssueTemplate) {
  const found =
    labels.length === 0 ? [] : await findUsableLabelsByName(db, { repositoryId: repository.id, ownerId: owner.id, names: labels })
  const people = assignees.length === 0 ? [] : await findCandidateAssignees(db, { repository, owner })
  const wanted = new Set(assignees.map((name) => name.toLowerCase()))
  return {
    labels: found.map(({ id }) => id),
    assignees: people.filter(({ lower_name }) => wanted.has(lower_name)).map(({ name }) => name),
    ref,
  }
}

const choose = page({
  id: "issue.choose",
  address: "GET /{owner}/{repo}/issues/new/choose",
  access: onIssuesAsReporter,
  answer: async (call) => {
    const { templates, config } = await begin(call)
    const blank = `${repositoryPath(call)}/issues/new`
    if (templates.length === 0 && config.contact_links.length === 0) return moved(blank)
    const row = (href: string, title: Text, about: Text, isOutside = false): Content =>
      html`
        <li>
          ${icon(isOutside ? "link-external" : "issue-opened")}
          <div class="main">
            <h2 class="title"><a href="${href}" dir="auto">${title}</a></h2>
            <p dir="auto">${about}</p>
          </div>
        </li>
      `
    return repositoryPage(call, {
      tab: "issues",
      title: t("New issue"),
      unlisted: true,
      body: html`
        <h1>New issue</h1>
        <ul class="rows">
          ${templates.map(({ name, about, file_name }) => row(withQuery(blank, { template: file_name }), name, about))}
          ${config.contact_links.map(({ name, url, about }) => row(url, name, about, true))}
          ${config.blank_issues_enabled && row(blank, t("Blank issue"), t("Open a blank issue."))}
        </ul>
      `,
    })
  },
})

const begun: Page = page({
  id: "issue.new",
  address: "GET /{owner}/{repo}/issues/new",
  access: onIssuesAsReporter,
  query: { title: text, body: text, template: text },
  answer: async (call) => {
    const { query, draft } = call
    requireUnarchived(call)
    const template = await templateNamed(call, query.template ?? "")
    if (template && template.body.length > 0) return formPage(call, template, { title: query.title ?? template.title })
    const extras = template ? await extrasOf(call, template) : undefined
    const record = { title: query.title ?? template?.title ?? "", body: query.body ?? template?.content ?? "" }
    return newPage(
      call,
      template?.about,
      formView(create, {
        path: call.path,
        record,
        draft,
        submit: t("Create issue"),
        fields: [
          { kind: "line", name: "title", label: t("Title"), required: true, autofocus: true, maxlength: 255 },
          {
            kind: "markdown",
            name: "body",
            label: t("Text"),
            rows: 14,
            repository: repositoryPath(call),
            files: takesFiles(call.services),
          },
          ...(await givenFields(call, {
            labels: draft?.typed["labels"] ?? extras?.labels.map(String) ?? [],
            assignees: draft?.typed["assignees"] ?? extras?.assignees ?? [],
          })),
          ...hidden("ref", draft?.typed["ref"] ?? (extras ? [extras.ref] : [])),
        ],
      }),
    )
  },
})

/** What the issue is given, as far as the reader may choose it; from others these members are passed over. */
async function givenFields(
  call: Call,
  chosen: { readonly labels: readonly string[]; readonly assignees: readonly string[] },
): Promise<readonly Field[]> {
  const { db, actor, repository, owner } = call
  if (!writesKind(call, { is_pull: 0 })) return [...hidden("labels", chosen.labels), ...hidden("assignees", chosen.assignees)]
  const { labels, milestones, projects } = await findOffered(db, actor, { repository, owner })
  const people = await findCandidateAssignees(db, { repository, owner })
  const at = repositoryPath(call)
  return [
    pickerField(t("Labels"), "", { ...labelsField(labels, [], at), value: chosen.labels }, t("Filter labels"), labelsCreatedAt(at)),
    pickerField(t("Assignees"), "", { ...peopleField(people, []), value: chosen.assignees }, t("Filter people")),
    pickerField(t("Milestone"), "", milestoneField(milestones, undefined), t("Filter milestones")),
    ...(projects.length > 0 && repository.has_projects === 1
      ? [pickerField(t("Projects"), "", projectsField(projects, []), t("Filter projects"))]
      : []),
  ]
}

const hidden = (name: string, values: readonly string[] = []): readonly Field[] =>
  values.filter((value) => value !== "").map((value) => ({ kind: "hidden", name, value }))

const create = form({
  id: "issue.create",
  address: "POST /{owner}/{repo}/issues/new",
  does: named(issueOperations, "issueCreateIssue"),
  on: begun,
  takes: ["title", "body", "labels", "assignees", "ref", "milestone", "projects"],
  once: true,
  done: openedOrHeld,
  to: ({ path: { owner, repo }, record }) =>
    isHeldRecord(record) ? HELD_PATH : `/${owner}/${repo}/issues/${String(memberOf(record, "number"))}`,
})

const fill: Page = page({
  id: "issue.fill",
  address: "POST /{owner}/{repo}/issues/new/form",
  access: onIssuesAsReporter,
  query: { template: text, title: text, answers: Type.Optional(Type.Array(Type.String())) },
  bytes: 1_048_576,
  once: true,
  again: async (call, refusal) => {
    const template = await templateNamed(call, call.query.template ?? "")
    if (!template) throw refusal
    return formPage(call, template, {
      title: call.query.title ?? "",
      answers: readAnswers(template.body, call.query.answers ?? []),
      refusal,
    })
  },
  answer: async (call) => {
    const { services, query } = call
    const template = await templateNamed(call, query.template ?? "")
    if (!template) throw refuse.notFound()
    const title = query.title?.trim() ?? ""
    if (title === "") throw refuse.invalid("title", "must not be empty")
    const answers = readAnswers(template.body, query.answers ?? [])
    checkAnswers(template.body, answers)
    const extras = await extrasOf(call, template)
    const body = markdownOf(template.body, answers)
    const gate = gateAt(services.config, call) && (await import("../../../features/planning/issues/newcomers.ts"))
    if (await gate?.holdIssue(services, call.db, call, { ...extras, title, body })) return moved(HELD_PATH, { flash: HELD_WORDS })
    const issue = await services.database.write(async (tx) => {
      const made = await createIssue(tx, services, call, { ...extras, title, body })
      await gate?.requireFewOpened(tx, services, call)
      return made
    })
    return moved(`${repositoryPath(call)}/issues/${issue.number}`, { flash: t("Opened.") })
  },
})

interface Filled {
  readonly title: string
  readonly answers?: Answers
  readonly refusal?: Refusal
}

async function formPage(call: Call, { about, body, file_name }: IssueTemplate, { title, answers, refusal }: Filled): Promise<Shown> {
  const texts = await renderTexts(
    call,
    body.map(({ type, attributes }) => (type === "markdown" ? String(attributes["value"] ?? "") : "")),
  )
  const isOfField = refusal?.field === "title" || body.some(({ id }) => id === refusal?.field)
  return newPage(
    call,
    about,
    html`
      <form class="form" data-long method="post" action="${repositoryPath(call)}/issues/new/form">
        ${isOfField ? notice("bad", t("Please correct the fields below.")) : problem(refusal)}
        <input type="hidden" name="template" value="${file_name}">
        ${field({
          label: t("Title"),
          name: "title",
          value: title,
          required: true,
          maxlength: 255,
          ...(refusal?.field === "title" && { fault: t("It must not be empty.") }),
        })}
        ${formFields(body, { texts: new Map(texts.entries()), answers, refusal })}
        <div class="bar"><button class="primary">Create issue</button></div>
      </form>
    `,
  )
}

const newPage = (call: OnRepository & Request, about: string | undefined, body: Content): Promise<Shown> =>
  repositoryPage(call, {
    tab: "issues",
    title: t("New issue"),
    unlisted: true,
    modules: ["composer", "picker"],
    body: html`
      <h1>New issue</h1>
      ${about && html`<p class="muted" dir="auto">${about}</p>`}
      ${body}
    `,
  })

export const newIssuePages: readonly Page[] = [choose, begun, create, fill]
