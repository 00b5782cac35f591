import { fileRegistry } from "./core/file.ts"
import { organizationAuditFiles } from "./pages/organization/audit.ts"
import { keyFiles } from "./pages/profile/keys.ts"
import { actionFiles } from "./pages/repository/actions/files.ts"
import { attachmentFiles } from "./pages/repository/attachments.ts"
import { codeFiles } from "./pages/repository/code/raw.ts"
import { pullFiles } from "./pages/repository/pulls/patch.ts"
import { releaseFiles } from "./pages/repository/releases/download.ts"
import { wikiFiles } from "./pages/repository/wiki/edit.ts"
import { pictureFiles } from "./pages/site/pictures.ts"
import { exportFiles } from "./pages/user/settings/export.ts"

/** All files that have addresses of their own, by feature. */
export const files = fileRegistry(
  actionFiles,
  attachmentFiles,
  codeFiles,
  exportFiles,
  keyFiles,
  organizationAuditFiles,
  pictureFiles,
  pullFiles,
  releaseFiles,
  wikiFiles,
)
