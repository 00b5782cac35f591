import { type Me, signedIn } from "../../access/policies/site.ts"
import { isSiteAdministrator, type SignedIn } from "../../core/actor.ts"
import { Refusal } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { type Content, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Draft, type Page, page, type Shown } from "../../core/page.ts"
import Type, { Check } from "../../core/schema.ts"
import type { Services } from "../../core/services.ts"
import { migrationOperations } from "../../features/site/migration/operations.ts"
import type { ImportPreview } from "../../features/site/migration/records.ts"
import { formSecretContext } from "../../features/site/migration/secret.ts"
import { notice, table } from "../../web/components.ts"
import { type Field, formView } from "../../web/form.ts"
import { addressOfMade, ownerField } from "../parts/new-repository.ts"
import { credentials, peopleField, RECORDS, SERVICES, stepName, withoutEmpty } from "./import-view.ts"

const source: readonly Field[] = [
  {
    kind: "line",
    name: "clone_addr",
    label: t("Address"),
    type: "url",
    required: true,
    autofocus: true,
    maxlength: 2048,
    placeholder: "https://example.org/owner/name.git",
    hint: t("An http or https URL that git can clone."),
  },
  {
    kind: "menu",
    name: "service",
    label: t("Repository to import"),
    hint: t("From these servers more than git can be imported, such as issues and pull requests."),
    options: SERVICES,
  },
  credentials,
]

const fieldsOf = (owner: Field, hasLargeFiles: boolean, mapsPeople: boolean): readonly Field[] => [
  ...source,
  {
    kind: "group",
    label: t("New repository"),
    fields: [
      owner,
      { kind: "line", name: "repo_name", label: t("Name"), required: true, maxlength: 100 },
      { kind: "line", name: "description", label: t("Description"), maxlength: 2048 },
      { kind: "box", name: "private", label: t("Private"), hint: t("Only people with access can see it.") },
      {
        kind: "box",
        name: "mirror",
        label: t("Mirror"),
        hint: t("Keeps synchronizing with the source repository, and is read-only here."),
      },
    ],
  },
  {
    kind: "group",
    label: t("Also import"),
    fields: [
      { kind: "box", name: "wiki", label: t("Wiki") },
      ...(hasLargeFiles ? [{ kind: "box", name: "lfs", label: t("Large files (Git LFS)") } as const] : []),
      ...RECORDS.map(([name, label]) => ({ kind: "box", name, label }) as const),
      ...(mapsPeople ? [peopleField] : []),
    ],
  },
]

interface Call extends Me {
  readonly services: Services
  readonly actor: SignedIn
  readonly draft: Draft | undefined
}

interface Filled {
  readonly values: Readonly<Record<string, unknown>>
  /** What the other server has, or why it was not seen. */
  readonly preview?: Content
  /** The credentials that were typed, sealed for who typed them. */
  readonly sealed?: string
}

async function shown(
  { services: { config, database }, me, actor, draft }: Call,
  { values, preview: seen, sealed }: Filled,
): Promise<Shown> {
  const owner = await ownerField(database.read, me, "repo_owner", text(values["repo_owner"]) || undefined)
  return {
    kind: "shown",
    title: t("Import a repository"),
    width: "narrow",
    unlisted: true,
    body: html`
      <h1>Import a repository</h1>
      <p class="muted"><a href="/repo/imports">Your imports, and several at once</a></p>
      ${seen}
      ${
        config.migrations.enabled
          ? formView(begin, {
              draft,
              record: values,
              submit: t("Start import"),
              beside: html`<button formaction="/repo/migrate/preview" formnovalidate>Look first what is there</button>`,
              fields: [
                ...fieldsOf(owner, config.lfs.enabled, isSiteAdministrator(actor)),
                { kind: "hidden", name: "sealed", value: sealed ?? "" },
              ],
            })
          : notice("info", t("Imports are disabled on this site. You can push an existing repository to a new one."))
      }
    `,
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const migrate: Page = page({
  id: "migration.new",
  address: "GET /repo/migrate",
  access: signedIn,
  query: {
    clone_addr: Type.Optional(Type.String()),
    owner: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
  },
  answer: ({ query, ...call }) => shown(call, { values: { clone_addr: query.clone_addr, repo_name: query.name, repo_owner: query.owner } }),
})

const LINES = ["clone_addr", "service", "repo_owner", "repo_name", "description", "people"] as const
const SECRETS = ["auth_username", "auth_password", "auth_token"] as const
const BOXES = ["private", "mirror", "wiki", "lfs", ...RECORDS.map(([name]) => name)] as const

const Secrets = Type.Object({ auth_username: Type.String(), auth_password: Type.String(), auth_token: Type.String() })

/** The credentials that were typed before the look, for the same person. */
function unsealed({ secrets }: Services, sealed: string, userId: number): Readonly<Record<string, string>> {
  if (sealed === "") return {}
  try {
    const stored: unknown = JSON.parse(secrets.unseal(sealed, formSecretContext(userId)))
    return Check(Secrets, stored) ? stored : {}
  } catch {
    return {}
  }
}

/** Shows the form again with what was typed, and what the other server has. Changes nothing. */
const preview: Page = page({
  id: "migration.preview",
  address: "POST /repo/migrate/preview",
  access: signedIn,
  bytes: 1024 * 1024,
  query: Object.fromEntries([...LINES, ...SECRETS, ...BOXES, "sealed"].map((name) => [name, Type.Optional(Type.String())])),
  answer: async ({ query, ...call }) => {
    const { services, me } = call
    const typed = new Map(Object.entries(query).map(([name, value]) => [name, text(value)]))
    const before = unsealed(services, typed.get("sealed") ?? "", me.id)
    const secret = (name: (typeof SECRETS)[number]): string => typed.get(name) || before[name] || ""
    const given = { auth_username: secret("auth_username"), auth_password: secret("auth_password"), auth_token: secret("auth_token") }
    const hasAny = Object.values(given).some((each) => each !== "")
    const values = {
      ...Object.fromEntries(LINES.map((name) => [name, typed.get(name)])),
      ...Object.fromEntries(BOXES.map((name) => [name, typed.has(name)])),
    }
    const asked = { clone_addr: typed.get("clone_addr") ?? "", service: serviceIn(typed.get("service")), ...given }
    const { previewImport } = await import("../../features/site/migration/preview.ts")
    const seen = await previewImport(services, asked).catch((error: unknown) => {
      if (error instanceof Refusal && error.status < 500) return error
      throw error
    })
    const sealed = hasAny ? services.secrets.seal(JSON.stringify(given), formSecretContext(me.id)) : ""
    if (seen instanceof Refusal) {
      const kept = [...typed].filter(([name]) => !SECRETS.some((each) => each === name)).map(([name, value]) => [name, [value]] as const)
      const refused: Draft = { form: begin.id, refusal: seen, typed: Object.fromEntries(kept) }
      return { ...(await shown({ ...call, draft: refused }, { values, sealed })), isPrivate: true, status: seen.status }
    }
    const filled = { values: { ...values, repo_name: typed.get("repo_name") || seen.name }, preview: previewView(seen), sealed }
    return { ...(await shown(call, filled)), isPrivate: true }
  },
})

const serviceIn = (word: string | undefined) => SERVICES.find(([service]) => service === word)?.[0] ?? "git"

const previewView = ({ name, description, counts, wiki }: ImportPreview): Content => html`
  <section class="stack" id="preview">
    <h2 translate="no">${name}</h2>
    ${description && html`<p class="break" dir="auto">${description}</p>`}
    ${table(
      t("What is there"),
      [t("Part"), { number: t("Count") }],
      [
        ...counts.map(
          ({ kind, total }) => html`
            <tr>
              <th scope="row">${stepName(kind)}</th>
              <td class="number">${total ?? "?"}</td>
            </tr>
          `,
        ),
        wiki &&
          html`
            <tr>
              <th scope="row">Wiki</th>
              <td class="number">1</td>
            </tr>
          `,
      ],
    )}
  </section>
`

const begin = form({
  id: "migration.begin",
  address: "POST /repo/migrate",
  does: named(migrationOperations, "repoMigrate"),
  on: migrate,
  takes: [...LINES, ...SECRETS, ...BOXES],
  also: ["sealed"],
  body: (body, typed, { request: { services, actor } }) => {
    const before = actor.kind === "user" ? unsealed(services, typed["sealed"]?.[0] ?? "", actor.user.id) : {}
    return { ...before, ...withoutEmpty(body) }
  },
  query: () => ({ wait: "false" }),
  to: (done) => `${addressOfMade(done)}/import`,
  once: true,
})

export const migrationPages: readonly Page[] = [migrate, preview, begin]
