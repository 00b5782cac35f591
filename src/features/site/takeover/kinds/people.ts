import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Visibility } from "../../../../core/database/tables/people.ts"
import { hasCode } from "../../../../git/model/errors.ts"
import { type Kind, leftOut, put, rows, type TakenFile } from "../mapping/kind.ts"
import { UNIT_NAMES } from "../mapping/units.ts"
import type { World } from "../mapping/world.ts"
import type { StoreName } from "../source/layout.ts"
import { isOn, json, moment, number, onOff, type SourceRow, text } from "../source/row.ts"

const VISIBILITIES: readonly Visibility[] = ["public", "limited", "private"]
const visibilityOf = (value: number): Visibility => VISIBILITIES[value] ?? "private"

/** Types of users: people, organisations, names that are only reserved, programs. */
const ORGANIZATION = 1
const PEOPLE: readonly number[] = [0, 4]

/** Sources of sign-in that are no password of this server's. */
const SOURCES: Readonly<Record<number, string>> = { 2: "LDAP", 3: "SMTP", 4: "PAM", 5: "LDAP (simple)", 6: "OAuth2", 7: "SSPI" }

/** A picture as it is named here: after the digest of its bytes. Undefined where its file is missing. */
export async function pictureOf(
  world: World,
  store: StoreName,
  path: string,
): Promise<{ readonly digest: string; readonly file: TakenFile } | undefined> {
  if (!/^[\w.-]+$/.test(path)) return undefined
  try {
    const digest = createHash("sha256")
      .update(await readFile(join(world.layout.stores[store], path)))
      .digest("hex")
    return { digest, file: { store, path, key: `avatars/${digest}` } }
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR")) return undefined
    throw error
  }
}

/** A password's hash as it is stored here until its owner signs in: bcrypt has a form of its own, the others name their algorithm and its costs. */
function passwordOf(row: SourceRow): string {
  const passwd = text(row, "passwd")
  const algorithm = text(row, "passwd_hash_algo") || "pbkdf2$10000$50"
  if (passwd === "" || passwd.startsWith("$2")) return passwd
  return `$former$${algorithm}$${Buffer.from(text(row, "salt")).toString("base64url")}$${passwd}`
}

const users: Kind = {
  name: "people and organisations",
  from: "user",
  beside: [{ table: "login_source", columns: "s.[name] as source_name", join: "left join [login_source] s on s.id = x.login_source" }],
  into: "users",
  async map(row, world) {
    const [id, type, name] = [number(row, "id"), number(row, "type"), text(row, "name")]
    const isOrganization = type === ORGANIZATION
    if (!isOrganization && !PEOPLE.includes(type)) return leftOut(`${name} is only a reserved name`)
    if (isOrganization) world.organizations.add(id)
    const picture =
      isOn(row, "use_custom_avatar") && text(row, "avatar") !== "" ? await pictureOf(world, "avatars", text(row, "avatar")) : undefined
    const source = SOURCES[number(row, "login_type")]
    return {
      rows: [
        put("users", {
          id,
          kind: isOrganization ? "organization" : "person",
          name,
          lower_name: text(row, "lower_name") || name.toLowerCase(),
          full_name: text(row, "full_name"),
          email: text(row, "email"),
          description: text(row, "description"),
          location: text(row, "location"),
          website: text(row, "website"),
          language: text(row, "language"),
          theme: text(row, "theme"),
          diff_view_style: text(row, "diff_view_style"),
          visibility: visibilityOf(number(row, "visibility")),
          avatar: picture?.digest ?? "",
          created_at: moment(row, "created_unix"),
          updated_at: moment(row, "updated_unix"),
          last_login_at: moment(row, "last_login_unix"),
          password_hash: source === undefined ? passwordOf(row) : "",
          login_name: text(row, "login_name"),
          source_id: number(row, "login_source"),
          is_admin: onOff(row, "is_admin"),
          is_active: isOrganization ? 1 : onOff(row, "is_active"),
          is_restricted: onOff(row, "is_restricted"),
          prohibit_login: onOff(row, "prohibit_login"),
          must_change_password: onOff(row, "must_change_password"),
          hide_email: onOff(row, "keep_email_private"),
          hide_activity: onOff(row, "keep_activity_private"),
          allow_create_organization: onOff(row, "allow_create_organization"),
          max_repositories: number(row, "max_repo_creation"),
          repo_admin_change_team_access: onOff(row, "repo_admin_change_team_access"),
        }),
      ],
      ...(picture && { files: [picture.file] }),
      remark:
        source === undefined
          ? undefined
          : `${name} signs in by ${source}${text(row, "source_name") === "" ? "" : ` (${text(row, "source_name")})`}, which is no source here: they need a new password by mail`,
    }
  },
}

const GONE = { person: "the account is gone", organization: "the organisation is gone", team: "the team is gone" } as const

const emails: Kind = {
  name: "addresses",
  from: "email_address",
  into: "emails",
  map(row, world) {
    const userId = number(row, "uid")
    if (!world.has("users", userId)) return leftOut(GONE.person)
    const email = text(row, "email")
    return rows(
      put("emails", {
        id: number(row, "id"),
        user_id: userId,
        email,
        lower_email: text(row, "lower_email") || email.toLowerCase(),
        is_activated: onOff(row, "is_activated"),
        is_primary: onOff(row, "is_primary"),
        created_at: 0,
      }),
    )
  },
}

const userRedirects: Kind = {
  name: "former names of accounts",
  from: "user_redirect",
  into: "user_redirects",
  map(row, world) {
    const userId = number(row, "redirect_user_id")
    return world.has("users", userId)
      ? rows(put("user_redirects", { lower_name: text(row, "lower_name"), user_id: userId }))
      : leftOut(GONE.person)
  },
}

const follows: Kind = {
  name: "followers",
  from: "follow",
  into: "follows",
  map(row, world) {
    const [follower, followed] = [number(row, "user_id"), number(row, "follow_id")]
    if (!world.has("users", follower) || !world.has("users", followed)) return leftOut(GONE.person)
    return rows(put("follows", { follower_id: follower, followed_id: followed, created_at: moment(row, "created_unix") }))
  },
}

const blocks: Kind = {
  name: "blocked people",
  from: "user_blocking",
  into: "blocks",
  map(row, world) {
    const [blocker, blocked] = [number(row, "blocker_id"), number(row, "blockee_id")]
    if (!world.has("users", blocker) || !world.has("users", blocked)) return leftOut(GONE.person)
    return rows(
      put("blocks", {
        id: number(row, "id"),
        blocker_id: blocker,
        blocked_id: blocked,
        note: text(row, "note"),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

/** The same in Forgejo, whose rows have ids of their own. */
const forgejoBlocks: Kind = {
  name: "blocked people (Forgejo)",
  from: "forgejo_blocked_user",
  into: "blocks",
  map(row, world) {
    const [blocker, blocked] = [number(row, "user_id"), number(row, "block_id")]
    if (!world.has("users", blocker) || !world.has("users", blocked)) return leftOut(GONE.person)
    return rows(
      put("blocks", { id: number(row, "id"), blocker_id: blocker, blocked_id: blocked, note: "", created_at: moment(row, "created_unix") }),
    )
  },
}

const badges: Kind = {
  name: "badges",
  from: "badge",
  into: "badges",
  map: (row) =>
    rows(
      put("badges", {
        id: number(row, "id"),
        slug: text(row, "slug"),
        description: text(row, "description"),
        image_url: text(row, "image_url"),
      }),
    ),
}

const userBadges: Kind = {
  name: "badges of people",
  from: "user_badge",
  into: "user_badges",
  map(row, world) {
    const [userId, badgeId] = [number(row, "user_id"), number(row, "badge_id")]
    if (!world.has("users", userId) || !world.has("badges", badgeId)) return leftOut("the account or the badge is gone")
    return rows(put("user_badges", { user_id: userId, badge_id: badgeId }))
  },
}

const members: Kind = {
  name: "members of organisations",
  from: "org_user",
  into: "organization_members",
  map(row, world) {
    const [organizationId, userId] = [number(row, "org_id"), number(row, "uid")]
    if (!world.has("users", userId)) return leftOut(GONE.person)
    if (!world.organizations.has(organizationId)) return leftOut(GONE.organization)
    return rows(put("organization_members", { organization_id: organizationId, user_id: userId, is_public: onOff(row, "is_public") }))
  },
}

/** `authorize` of teams whose rights are not those of their parts. */
const ADMINISTRATORS = 3
const LIMITED_OR_HIDDEN = 2

const teams: Kind = {
  name: "teams",
  from: "team",
  into: "teams",
  map(row, world) {
    const organizationId = number(row, "org_id")
    if (!world.organizations.has(organizationId)) return leftOut(GONE.organization)
    const [name, mode] = [text(row, "name"), number(row, "authorize")]
    return rows(
      put("teams", {
        id: number(row, "id"),
        organization_id: organizationId,
        name,
        lower_name: text(row, "lower_name") || name.toLowerCase(),
        description: text(row, "description"),
        mode: mode >= ADMINISTRATORS ? mode : 0,
        includes_all_repositories: onOff(row, "includes_all_repositories"),
        can_create_repositories: onOff(row, "can_create_org_repo"),
        visibility: visibilityOf("visibility" in row ? number(row, "visibility") : LIMITED_OR_HIDDEN),
        created_at: 0,
      }),
    )
  },
}

const teamUnits: Kind = {
  name: "rights of teams",
  from: "team_unit",
  into: "team_units",
  map(row, world) {
    const [teamId, unit] = [number(row, "team_id"), UNIT_NAMES[number(row, "type")]]
    if (!world.has("teams", teamId)) return leftOut(GONE.team)
    if (unit === undefined) return leftOut(`there is no unit ${number(row, "type")} here`)
    return rows(put("team_units", { team_id: teamId, unit, mode: number(row, "access_mode") }))
  },
}

const teamMembers: Kind = {
  name: "members of teams",
  from: "team_user",
  into: "team_members",
  map(row, world) {
    const [teamId, userId, organizationId] = [number(row, "team_id"), number(row, "uid"), number(row, "org_id")]
    if (!world.has("teams", teamId)) return leftOut(GONE.team)
    if (!world.has("users", userId)) return leftOut(GONE.person)
    return rows(put("team_members", { team_id: teamId, user_id: userId, organization_id: organizationId }))
  },
}

/** Invitations have no end there. */
const INVITED_SECONDS = 365 * 86_400

const invitations: Kind = {
  name: "invitations to teams",
  from: "team_invite",
  into: "team_invitations",
  map(row, world) {
    const [teamId, inviterId, email, created] = [
      number(row, "team_id"),
      number(row, "inviter_id"),
      text(row, "email"),
      moment(row, "created_unix"),
    ]
    if (!world.has("teams", teamId)) return leftOut(GONE.team)
    if (!world.has("users", inviterId)) return leftOut(GONE.person)
    if (created + INVITED_SECONDS < world.now) return leftOut(`${email} was invited more than a year ago: invite them again`)
    const invitation = put("team_invitations", {
      id: number(row, "id"),
      team_id: teamId,
      lower_email: email.toLowerCase(),
      invited_by: inviterId,
      created_at: created,
      sent_at: created,
      expires_at: created + INVITED_SECONDS,
    })
    return { rows: [invitation], remark: `the link that ${email} has is of the old server: send the invitation again` }
  },
}

const sources: Kind = {
  name: "sources of sign-in",
  from: "login_source",
  beside: [{ table: "user", columns: "(select count(*) from [user] u where u.login_source = x.id) as people" }],
  into: "users",
  map: (row) =>
    leftOut(
      `${text(row, "name")} (${SOURCES[number(row, "type")] ?? `type ${number(row, "type")}`}): ${number(row, "people")} people sign in by it; set it up in the settings, if there is such a provider here`,
    ),
}

const linked: Kind = {
  name: "accounts at other providers",
  from: "external_login_user",
  key: "(x.user_id * 65536 + x.login_source_id)",
  beside: [{ table: "login_source", columns: "s.[name] as source_name", join: "left join [login_source] s on s.id = x.login_source_id" }],
  into: "linked_accounts",
  map(row, world) {
    const userId = number(row, "user_id")
    if (!world.has("users", userId)) return leftOut(GONE.person)
    return rows(
      put("linked_accounts", {
        id: number(row, "source_key"),
        user_id: userId,
        provider: text(row, "source_name").toLowerCase(),
        subject: text(row, "external_id"),
        label: text(row, "nick_name") || text(row, "email") || text(row, "external_id"),
        created_at: 0,
        last_used_at: 0,
      }),
    )
  },
}

const openIds: Kind = {
  name: "OpenID addresses",
  from: "user_open_id",
  into: "users",
  map: (row) => leftOut(`OpenID 2.0 (${text(row, "uri")}) is no longer in use`),
}

const settings: Kind = {
  name: "settings of people",
  from: "user_setting",
  into: "users",
  map: (row) => (json(row, "setting_value") === undefined ? undefined : leftOut(`${text(row, "setting_key")} has no counterpart here`)),
}

export const people: readonly Kind[] = [
  sources,
  users,
  emails,
  userRedirects,
  follows,
  blocks,
  forgejoBlocks,
  badges,
  userBadges,
  members,
  teams,
  teamUnits,
  teamMembers,
  invitations,
  linked,
  openIds,
  settings,
]
