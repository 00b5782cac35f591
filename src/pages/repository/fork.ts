import { Mode } from "../../access/modes.ts"
import { onRepositoryUnit } from "../../access/policies/repositories.ts"
import { refuse } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { forkOperations } from "../../features/code/lifecycle/fork-operations.ts"
import { formView } from "../../web/form.ts"
import { addressOfMade, identity, ownerField } from "../parts/new-repository.ts"
import { repositoryPage } from "./frame.ts"

/** Repositories that are made of another: its forks, and those that begin with what a template has. */

const ofCode = onRepositoryUnit("code", "read")

const fork: Page = page({
  id: "repository.fork",
  address: "GET /{owner}/{repo}/fork",
  access: ofCode,
  answer: async (call) => {
    const { db, me, owner, repository, draft } = call
    return repositoryPage(call, {
      tab: "code",
      title: t("Fork"),
      unlisted: true,
      body: html`
        <h1>Fork <bdi>${owner.name}/${repository.name}</bdi></h1>
        <p class="muted">
          A fork is a copy of a repository under your own account. Make changes freely, and contribute them back with a pull request.
        </p>
        ${formView(makeFork, {
          path: call.path,
          draft,
          record: { name: repository.name },
          submit: t("Create fork"),
          fields: [
            await ownerField(db, me, "organization"),
            { kind: "line", name: "name", label: t("Name"), required: true, maxlength: 100 },
          ],
        })}
      `,
    })
  },
})

const makeFork = form({
  id: "repository.makeFork",
  address: "POST /{owner}/{repo}/fork",
  does: named(forkOperations, "createFork"),
  on: fork,
  takes: ["organization", "name"],
  to: addressOfMade,
  done: t("Fork created."),
  once: true,
})

const items = (mayTakeHooks: boolean) =>
  [
    ["git_content", t("Files of the default branch")],
    ["topics", t("Topics")],
    ["labels", t("Labels")],
    ["avatar", t("Picture")],
    ["protected_branch", t("Protected branches")],
    ...(mayTakeHooks ? [["webhooks", t("Webhooks")] as const] : []),
  ] as const

const generate: Page = page({
  id: "repository.generate",
  address: "GET /{owner}/{repo}/generate",
  access: ofCode,
  answer: async (call) => {
    const { db, me, owner, repository, permission, draft } = call
    if (repository.is_template === 0) throw refuse.notFound()
    return repositoryPage(call, {
      tab: "code",
      title: t("Create a repository from this template"),
      unlisted: true,
      body: html`
        <h1>New repository from <bdi>${owner.name}/${repository.name}</bdi></h1>
        <p class="muted">It starts with one commit of all files, and is not a fork.</p>
        ${formView(makeGenerated, {
          path: call.path,
          draft,
          submit: t("Create repository"),
          fields: [
            await ownerField(db, me, "owner"),
            ...identity,
            {
              kind: "group",
              label: t("Copy from the template"),
              fields: items(permission.mode >= Mode.admin).map(([name, label]) => ({
                kind: "box",
                name,
                label,
                value: name === "git_content",
              })),
            },
          ],
        })}
      `,
    })
  },
})

const makeGenerated = form({
  id: "repository.makeGenerated",
  address: "POST /{owner}/{repo}/generate",
  does: named(forkOperations, "generateRepo"),
  on: generate,
  path: ({ owner = "", repo = "" }) => ({ template_owner: owner, template_repo: repo }),
  takes: ["owner", "name", "description", "private", "git_content", "topics", "labels", "avatar", "protected_branch", "webhooks"],
  to: addressOfMade,
  once: true,
})

export const forkPages: readonly Page[] = [fork, makeFork, generate, makeGenerated]
