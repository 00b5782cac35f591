-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- composition.copyLanguages
insert into repository_languages(repository_id, tree_id, bytes) select repositories.id as repository_id, repository_languages.tree_id, repository_languages.bytes
from repository_languages
inner join repositories on repositories.id = ?
where repository_languages.repository_id = ?;

-- composition.describe
update repositories
set language = ?, licenses = ?
where id = ?;

-- composition.find
select repositories.storage, repositories.object_format, repositories.default_branch, repositories.language, repositories.licenses, repository_languages.tree_id, repository_languages.bytes
from repositories
left join repository_languages on repository_languages.repository_id = repositories.id
where repositories.id = ?;

-- composition.findLanguages
select bytes
from repository_languages
where repository_id = ?;

-- composition.putLanguages
insert into repository_languages(repository_id, tree_id, bytes)
values (?, ?, ?) on conflict (repository_id) do update
set tree_id = excluded.tree_id, bytes = excluded.bytes
where repository_languages.tree_id = ?;
