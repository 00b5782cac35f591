-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- codeSearch.claimIndex
update code_indexes
set version = version + ?, tree_id = ?, commit_id = ?, is_complete = ?, files_count = ?, indexed_at = ?
where repository_id = ?
  and version = ?;

-- codeSearch.doubtIndexes
update code_indexes
set is_complete = ?;

-- codeSearch.findBlobs
select id, blob_id
from code_blobs
where repository_id = ?
  and blob_id in ?;

-- codeSearch.findBlobsOfPaths
select code_blob_id
from code_files
where repository_id = ?
  and path in ?;

-- codeSearch.findFiles
select code_files.path, code_blobs.blob_id
from code_files
inner join code_blobs on code_blobs.id = code_files.code_blob_id
where code_files.repository_id = ?
  and code_files.path > ?
order by code_files.path
limit ?;

-- codeSearch.findIndex
select repositories.storage, repositories.object_format, repositories.default_branch, code_indexes.tree_id, code_indexes.is_complete, code_indexes.version, code_indexes.files_count
from repositories
left join code_indexes on code_indexes.repository_id = repositories.id
where repositories.id = ?;

-- codeSearch.findUnindexed
select repositories.id
from repositories
left join code_indexes on code_indexes.repository_id = repositories.id
where repositories.is_empty = ?
  and repositories.id > ?
  and (code_indexes.is_complete is null or code_indexes.is_complete = ?)
order by repositories.id
limit ?;

-- codeSearch.insertBlob
insert into code_blobs(repository_id, blob_id, content)
values (?, ?, ?)
returning id;

-- codeSearch.insertGrams
insert into code_grams(rowid, grams)
values (?, ?);

-- codeSearch.putFile
insert into code_files(repository_id, path, code_blob_id, language)
values (?, ?, ?, ?) on conflict (repository_id, path) do update
set code_blob_id = excluded.code_blob_id;

-- codeSearch.readTexts
select id, content
from code_blobs
where id in ?;

-- codeSearch.removeAllUnused
delete from code_blobs
where repository_id = ?
  and not exists (
    select 1 as one
    from code_files
    where code_files.code_blob_id = code_blobs.id);

-- codeSearch.removeFiles
delete from code_files
where repository_id = ?
  and path in ?;

-- codeSearch.removeUnused
delete from code_blobs
where id in ?
  and not exists (
    select 1 as one
    from code_files
    where code_files.code_blob_id = code_blobs.id);

-- codeSearch.startIndex
insert into code_indexes(repository_id, tree_id, commit_id, is_complete, version, files_count, indexed_at)
values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing;
