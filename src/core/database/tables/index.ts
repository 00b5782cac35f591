import type { ActionTables } from "./actions.ts"
import type { AttentionTables } from "./attention.ts"
import type { AuditTables } from "./audit.ts"
import type { CodeSearchTables } from "./code-search.ts"
import type { EventTables } from "./events.ts"
import type { FormTables } from "./forms.ts"
import type { GuessTables } from "./guesses.ts"
import type { HistoryTables } from "./history.ts"
import type { IssueTables } from "./issues.ts"
import type { JobTables } from "./jobs.ts"
import type { KeyTables } from "./keys.ts"
import type { LfsTables } from "./lfs.ts"
import type { MirrorTables } from "./mirrors.ts"
import type { NewcomerTables } from "./newcomers.ts"
import type { OAuth2Tables } from "./oauth2.ts"
import type { PackageTables } from "./packages.ts"
import type { PeopleTables } from "./people.ts"
import type { ProjectTables } from "./projects.ts"
import type { ProtectionTables } from "./protections.ts"
import type { PullTables } from "./pulls.ts"
import type { ReleaseTables } from "./releases.ts"
import type { RepositoryTables } from "./repositories.ts"
import type { SignInTables } from "./sign-in.ts"
import type { SigningTables } from "./signing.ts"
import type { StoredRepositoryTables } from "./stored-repositories.ts"
import type { TakeoverTables } from "./takeover.ts"
import type { TextTables } from "./texts.ts"
import type { UndoTables } from "./undo.ts"
import type { WebhookTables } from "./webhooks.ts"
import type { WikiTables } from "./wikis.ts"

export { type Flag, flag, type Seconds } from "./types.ts"

/** All tables, each in the file of its subject. */
export interface Tables
  extends ActionTables,
    AttentionTables,
    AuditTables,
    CodeSearchTables,
    EventTables,
    FormTables,
    GuessTables,
    HistoryTables,
    IssueTables,
    JobTables,
    KeyTables,
    LfsTables,
    MirrorTables,
    NewcomerTables,
    OAuth2Tables,
    PackageTables,
    PeopleTables,
    ProjectTables,
    ProtectionTables,
    PullTables,
    ReleaseTables,
    RepositoryTables,
    SignInTables,
    SigningTables,
    TextTables,
    UndoTables,
    WebhookTables,
    StoredRepositoryTables,
    TakeoverTables,
    WikiTables {}
