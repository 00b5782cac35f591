import { signedIn } from "../../../access/policies/site.ts"
import { SCOPE_CATEGORIES } from "../../../access/scopes.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { memberOf } from "../../../core/check.ts"
import type { Handle } from "../../../core/database/database.ts"
import { form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { plural, type Text, t, textIn, Words } from "../../../core/language/message.ts"
import { named, type ScopeCategory } from "../../../core/operation.ts"
import { type Page, page, type Reader } from "../../../core/page.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { SUBJECTS } from "../../../features/people/oauth2/scopes.ts"
import { findOrganizationsOf } from "../../../features/people/organizations/store.ts"
import { authenticationOperations } from "../../../features/people/sign-in/credentials/operations.ts"
import type { Reach } from "../../../features/people/sign-in/credentials/reach.ts"
import { countTokensOf, findTokensOf } from "../../../features/people/sign-in/credentials/store.ts"
import type { AccessToken } from "../../../features/people/sign-in/credentials/tokens.ts"
import { empty, notice, pager, toCopy } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { confirmedFirst, confirmedSession } from "../../parts/sign-in/confirmed.ts"
import { expiry, lastUse, permissions } from "../../parts/tokens.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const TOKENS = `${SETTINGS_PATH}/applications` as const
const NEW = `${TOKENS}/new` as const

/** The name of who reads a page that only those who are signed in see. */
const nameOf = ({ actor }: Pick<Reader, "actor">): string => (actor.kind === "user" ? actor.user.name : "")

const tokens: Page = page({
  id: "personal.tokens",
  address: `GET ${TOKENS}`,
  access: signedIn,
  answer: async ({ services, db, actor, me, page, reader }) => {
    const total = (await countTokensOf.first(db, { userId: me.id }))?.total ?? 0
    const rows = await findTokensOf(db, { userId: me.id, limit: page.limit, offset: page.offset })
    const { reachesOf } = await import("../../../features/people/sign-in/credentials/reach.ts")
    const reaches = await reachesOf(db, actor, rows)
    const now = services.now()
    return personalSettings({
      part: "tokens",
      title: t("Access tokens"),
      body: html`
        <div class="bar">
          <h1>Access tokens</h1>
          <a class="button primary end" href="${NEW}">${icon("plus")} Generate new token</a>
        </div>
        <p class="muted">
          Access tokens work in place of your password for programs and the API. A token can do what its scopes
          allow, and no more than you can.
        </p>
        ${
          rows.length === 0
            ? empty("lock", t("No access tokens yet"), t("Create one for each program, so that each can be revoked on its own."))
            : html`<ul class="rows">${rows.map((row) => tokenRow(row, reaches(row), now))}</ul>`
        }
        ${pager(reader.url, page, total)}
      `,
    })
  },
})

const tokenRow = (row: AccessToken, reach: Reach, now: number): Html =>
  html`
    <li>
      ${icon("lock")}
      <div class="main">
        <span class="title">
          <bdi>${row.name}</bdi> <span class="muted small">ends in <code>${row.last_eight}</code></span>
        </span>
        ${permissions(row, reach)}
        <span class="muted small">
          Created ${time(row.created_at, now)}, ${lastUse(row, now)}, ${expiry(row, now)}
        </span>
        ${row.is_task === 1 && html`<a class="small" href="${TOKENS}/${row.id}/deeds">What was done with it</a>`}
      </div>
      ${formButton(remove, { id: String(row.id) }, html`Delete<span class="hidden-text"> ${row.name}</span>`)}
    </li>
  `

const menuOf = (category: ScopeCategory): Field => ({
  kind: "menu",
  name: category,
  label: new Words((language) => textIn(language, SUBJECTS[category]).replace(/^./u, (first) => first.toUpperCase())),
  options: [
    ["", t("No access")],
    [`read:${category}`, t("Read|right")],
    [`write:${category}`, t("Read and change")],
  ],
})

const group = (label: Text, ...categories: readonly ScopeCategory[]): Field => ({
  kind: "group",
  label,
  fields: categories.map(menuOf),
})

const DAY = 86_400
const LIFETIMES = [7, 30, 90, 180, 365]

/** How long a token may be good, as far as the site allows. */
function lifetimes({ config: { security } }: Pick<Services, "config">): readonly (readonly [string, Text])[] {
  const most = security.tokenSeconds === 0 ? undefined : Math.floor(security.tokenSeconds / DAY)
  const days = LIFETIMES.filter((each) => most === undefined || each < most).map((each) => [String(each), plural(each, "day")] as const)
  return [...days.toReversed(), ["", most === undefined ? t("never expires") : plural(most, "day")] as const].toReversed()
}

const expiresIn = ({ now }: Pick<Services, "now">, days: string): { readonly expires_at?: string } =>
  /^\d{1,4}$/.test(days) ? { expires_at: rfc3339(now() + Number(days) * DAY) } : {}

/** What makes it a token for one task. */
const task: Field = {
  kind: "group",
  label: t("For one task"),
  hint: t("With one of these the token needs an end, and owners or repositories. What it changes is listed, and marked with its name."),
  fields: [
    {
      kind: "text",
      name: "branches",
      label: t("Only these branches and tags"),
      rows: 2,
      placeholder: "bot/*",
      hint: t("Patterns, one on each line. Those of tags begin with refs/tags/."),
    },
    {
      kind: "text",
      name: "operations",
      label: t("Only these operations"),
      rows: 2,
      placeholder: "read",
      hint: html`
        Toolsets such as <code>read</code>, <code>issues</code> or <code>pulls</code>, and ids of operations of the API, one on each
        line.
      `,
    },
    { kind: "line", name: "writes", label: t("Changes at most"), type: "number" },
  ],
}

/** What is typed one on each line. */
const typedLines = (texts: readonly string[] = []): readonly string[] =>
  texts.flatMap((text) => text.split(/[\s,]+/)).filter((name) => name !== "")

/** Whose repositories a token of the person can be limited to: their own, and those of organisations that they belong to. */
const ownersFor = async (db: Handle, actor: SignedIn): Promise<readonly string[]> => [
  actor.user.name,
  ...(await findOrganizationsOf(db, actor, actor.user.id, { number: 1, limit: 50, offset: 0 })).rows.map(({ name }) => name),
]

/** All categories, as a person looks for them. */
const scopes: readonly Field[] = [
  group(t("Development"), "repository", "issue", "package"),
  group(t("People"), "user", "notification", "organization"),
  group(t("Site"), "misc", "activitypub", "admin"),
]

/** Name, end, and what the token is limited to. */
const firstFields = async (services: Services, db: Handle, actor: SignedIn): Promise<readonly Field[]> => [
  { kind: "line", name: "name", label: t("Name"), hint: t("What the token is for."), required: true, maxlength: 255 },
  {
    kind: "menu",
    name: "days",
    label: t("Expires|column"),
    hint: t("You get a mail a week and a day before."),
    options: lifetimes(services),
    value: "90",
  },
  {
    kind: "group",
    label: t("Access"),
    hint: t("If you choose owners or repositories, the token reads and changes only these. Of everything else it reads what is public."),
    fields: [
      {
        kind: "boxes",
        name: "owners",
        label: t("All repositories of"),
        options: (await ownersFor(db, actor)).map((name) => [name, name] as const),
      },
      {
        kind: "text",
        name: "repositories",
        label: t("Only these repositories"),
        rows: 3,
        placeholder: "owner/name",
        hint: t("One on each line."),
      },
    ],
  },
]

const make: Page = page({
  id: "personal.newToken",
  address: `GET ${NEW}`,
  access: signedIn,
  changesWithTime: true,
  answer: async ({ services, db, actor, reader, draft }) => {
    const session = await confirmedSession(services, reader, NEW)
    if ("kind" in session) return session
    return personalSettings({
      part: "tokens",
      title: t("New access token"),
      body: html`
        <h1>New access token</h1>
        ${formView(create, {
          draft,
          submit: t("Create token"),
          beside: html`<a href="${TOKENS}">Back</a>`,
          fields: [
            ...(await firstFields(services, db, actor)),
            task,
            { kind: "content", content: html`<p>Select the permissions that the program needs.</p>` },
            ...scopes,
            { kind: "box", name: "all", label: t("All permissions"), hint: t("Overrides the permissions above.") },
            {
              kind: "box",
              name: "public-only",
              label: t("Public only"),
              hint: t("No access to private repositories and organizations."),
            },
          ],
        })}
      `,
    })
  },
})

const create = form({
  id: "personal.createToken",
  address: `POST ${NEW}`,
  does: named(authenticationOperations, "userCreateToken"),
  on: make,
  takes: ["name"],
  also: ["all", "public-only", "days", "owners", "repositories", "branches", "operations", "writes", ...SCOPE_CATEGORIES],
  picks: (_path, _field, reader) => ({ username: nameOf(reader) }),
  body: (body, typed, { request }) => ({
    ...body,
    ...expiresIn(request.services, typed["days"]?.[0] ?? ""),
    owners: typed["owners"] ?? [],
    repositories: typedLines(typed["repositories"]),
    branches: typedLines(typed["branches"]),
    operations: typedLines(typed["operations"]),
    ...(/^\d+$/.test(typed["writes"]?.[0] ?? "") && { writes: Number(typed["writes"]?.[0]) }),
    scopes: [
      ...SCOPE_CATEGORIES.flatMap((category) => typed[category] ?? []).filter((scope) => scope !== ""),
      ...["all", "public-only"].filter((scope) => typed[scope]?.[0] === "true"),
    ],
  }),
  before: confirmedFirst(NEW),
  shows: ({ record }) =>
    personalSettings({
      part: "tokens",
      title: t("Your new token"),
      isPrivate: true,
      body: html`
        <h1>Your new token</h1>
        ${notice("good", t("Copy it now: you won’t be able to see it again."))}
        ${toCopy(String(memberOf(record, "sha1")), t("Copy the token"))}
        <p><a class="button primary" href="${TOKENS}">${t("Done|action")}</a></p>
      `,
    }),
})

const remove = form({
  id: "personal.deleteToken",
  address: `POST ${TOKENS}/{id}/delete`,
  does: named(authenticationOperations, "userDeleteAccessToken"),
  on: tokens,
  picks: ({ id = "" }, _field, reader) => ({ username: nameOf(reader), token: id }),
  done: t("Token deleted."),
})

/** A person's own access tokens. */
export const tokenPages: readonly Page[] = [tokens, make, create, remove]
