-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- packages.bumpRevision
update packages
set revision = revision + ?
where id = ?;

-- packages.countVersions
select count(*) as total
from package_versions
inner join packages on packages.id = package_versions.package_id
where packages.owner_id = ?;

-- packages.delete
delete from packages
where id = ?;

-- packages.deleteEmpty
delete from packages
where owner_id = ?
  and not exists (
    select package_versions.id
    from package_versions
    where package_versions.package_id = packages.id);

-- packages.deleteFile
delete from package_files
where id = ?;

-- packages.deleteRule
delete from package_rules
where owner_id = ?
  and type = ?;

-- packages.deleteUnused
delete from package_blobs
where id > ?
  and id <= ?
  and used_at < ?
  and not exists (
    select package_files.id
    from package_files
    where package_files.blob_id = package_blobs.id);

-- packages.deleteVersions
delete from package_versions
where id in ?;

-- packages.find
select *
from packages
where owner_id = ?
  and type = ?
  and lower_name = ?;

-- packages.findAllVersions
select *
from package_versions
where package_id = ?
order by id;

-- packages.findByIds
select *
from packages
where id in ?;

-- packages.findFile
select package_files.id, package_files.name, package_files.version_id, package_files.created_at, package_blobs.size, package_blobs.file, package_blobs.md5, package_blobs.sha1, package_blobs.sha256, package_blobs.sha512
from package_files
inner join package_blobs on package_blobs.id = package_files.blob_id
where package_files.version_id = ?
  and package_files.lower_name = ?;

-- packages.findFiles
select package_files.id, package_files.name, package_files.version_id, package_files.created_at, package_blobs.size, package_blobs.file, package_blobs.md5, package_blobs.sha1, package_blobs.sha256, package_blobs.sha512
from package_files
inner join package_blobs on package_blobs.id = package_files.blob_id
where package_files.version_id = ?
order by package_files.lower_name;

-- packages.findFilesOfPackage
select package_files.id, package_files.name, package_files.version_id, package_files.created_at, package_blobs.size, package_blobs.file, package_blobs.md5, package_blobs.sha1, package_blobs.sha256, package_blobs.sha512
from package_files
inner join package_blobs on package_blobs.id = package_files.blob_id
inner join package_versions on package_versions.id = package_files.version_id
where package_versions.package_id = ?
order by package_files.id;

-- packages.findKeptFiles
select file
from package_blobs
where file in ?;

-- packages.findLast
select coalesce(max(id), 0) as last
from packages;

-- packages.findLastBlob
select coalesce(max(id), 0) as last
from package_blobs;

-- packages.findLinked
select *
from packages
where repository_id = ?
order by id;

-- packages.findNewest
select *
from package_versions
where package_id = ?
order by id desc
limit ?;

-- packages.findNextOfType
select *
from packages
where owner_id = ?
  and type = ?
  and id > ?
order by id
limit ?;

-- packages.findNextRule
select *
from package_rules
where is_enabled = ?
  and id > ?
order by id
limit ?;

-- packages.findOwnersOfEmpty
select distinct owner_id
from packages
where id > ?
  and id <= ?
  and not exists (
    select package_versions.id
    from package_versions
    where package_versions.package_id = packages.id);

-- packages.findRules
select *
from package_rules
where owner_id = ?
order by type;

-- packages.findTags
select package_tags.name, package_tags.version_id, package_versions.version
from package_tags
inner join package_versions on package_versions.id = package_tags.version_id
where package_tags.package_id = ?
order by package_tags.name;

-- packages.findVersion
select *
from package_versions
where package_id = ?
  and lower_version = ?;

-- packages.findVersionsByIds
select *
from package_versions
where id in ?;

-- packages.insert
insert into packages(owner_id, repository_id, type, name, lower_name, is_restricted, created_at)
values (?, ?, ?, ?, ?, ?, ?)
returning *;

-- packages.insertFile
insert into package_files(version_id, blob_id, name, lower_name, created_at)
values (?, ?, ?, ?, ?);

-- packages.insertVersion
insert into package_versions(package_id, creator_id, version, lower_version, metadata, created_at)
values (?, ?, ?, ?, ?, ?)
returning *;

-- packages.keepBlob
insert into package_blobs(file, size, md5, sha1, sha256, sha512, created_at, used_at)
values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (sha256) do update
set used_at = excluded.used_at
returning *;

-- packages.noteChecked
update package_rules
set failure = ?, checked_at = ?
where id = ?;

-- packages.setLink
update packages
set repository_id = ?, is_restricted = ?
where id = ?;

-- packages.setRestricted
update packages
set is_restricted = ?
where id = ?;

-- packages.sumSizes
select coalesce(sum(package_blobs.size), 0) as total
from package_files
inner join package_blobs on package_blobs.id = package_files.blob_id
inner join package_versions on package_versions.id = package_files.version_id
inner join packages on packages.id = package_versions.package_id
where packages.owner_id = ?;
