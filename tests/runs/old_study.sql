BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('v3.2.0.a');
CREATE TABLE studies (
	study_id INTEGER NOT NULL, 
	study_name VARCHAR(512) NOT NULL, 
	PRIMARY KEY (study_id)
);
INSERT INTO "studies" VALUES(1,'old');
CREATE TABLE study_directions (
	study_direction_id INTEGER NOT NULL, 
	direction VARCHAR(8) NOT NULL, 
	study_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	PRIMARY KEY (study_direction_id), 
	UNIQUE (study_id, objective), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "study_directions" VALUES(1,'MAXIMIZE',1,0);
CREATE TABLE study_system_attributes (
	study_system_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_system_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
CREATE TABLE study_user_attributes (
	study_user_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_user_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "study_user_attributes" VALUES(1,1,'hedgerow:space','{"kind": {"type": "categorical", "values": ["a", "b", "c"]}, "x": {"type": "integer", "low": 0, "high": 9}, "y": {"type": "levels", "values": [0.5, 1.5, 2.5]}, "bits": {"type": "vector", "length": 2, "of": {"type": "levels", "values": [0, 1]}}}');
INSERT INTO "study_user_attributes" VALUES(2,1,'hedgerow:rules','[{"since": "2026-11-18T01:24:18+00:00", "after_trials": 0, "rules": {"low": "x <= 7 or kind == ''a''"}}, {"since": "2026-11-18T01:24:21+00:00", "after_trials": 15, "rules": {"low": "x <= 7 or kind == ''a''", "dear": "y <= 2"}}]');
CREATE TABLE trial_heartbeats (
	trial_heartbeat_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	heartbeat DATETIME NOT NULL, 
	PRIMARY KEY (trial_heartbeat_id), 
	UNIQUE (trial_id), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE trial_intermediate_values (
	trial_intermediate_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	intermediate_value FLOAT, 
	intermediate_value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_intermediate_value_id), 
	UNIQUE (trial_id, step), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE trial_params (
	param_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	param_name VARCHAR(512), 
	param_value FLOAT, 
	distribution_json TEXT, 
	PRIMARY KEY (param_id), 
	UNIQUE (trial_id, param_name), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_params" VALUES(1,1,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(2,1,'x',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(3,1,'y',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(4,1,'bits[0]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(5,1,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(6,2,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(7,2,'x',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(8,2,'y',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(9,2,'bits[0]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(10,2,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(11,3,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(12,3,'x',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(13,3,'y',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(14,3,'bits[0]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(15,3,'bits[1]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(16,4,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(17,4,'x',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(18,4,'y',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(19,4,'bits[0]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(20,4,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(21,5,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(22,5,'x',7.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(23,5,'y',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(24,5,'bits[0]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(25,5,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(26,6,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(27,6,'x',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(28,6,'y',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(29,6,'bits[0]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(30,6,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(31,7,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(32,7,'x',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(33,7,'y',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(34,7,'bits[0]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(35,7,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(36,8,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(37,8,'x',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(38,8,'y',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(39,8,'bits[0]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(40,8,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(41,9,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(42,9,'x',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(43,9,'y',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(44,9,'bits[0]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(45,9,'bits[1]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(46,10,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(47,10,'x',9.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(48,10,'y',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(49,10,'bits[0]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(50,10,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(51,11,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(52,11,'x',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(53,11,'y',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(54,11,'bits[0]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(55,11,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(56,12,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(57,12,'x',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(58,12,'y',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(59,12,'bits[0]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(60,12,'bits[1]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(61,13,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(62,13,'x',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(63,13,'y',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(64,13,'bits[0]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(65,13,'bits[1]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(66,14,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(67,14,'x',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(68,14,'y',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(69,14,'bits[0]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(70,14,'bits[1]',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(71,15,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b", "c"]}}');
INSERT INTO "trial_params" VALUES(72,15,'x',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 9}}');
INSERT INTO "trial_params" VALUES(73,15,'y',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": [0.5, 1.5, 2.5]}}');
INSERT INTO "trial_params" VALUES(74,15,'bits[0]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
INSERT INTO "trial_params" VALUES(75,15,'bits[1]',0.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 0, "high": 1}}');
CREATE TABLE trial_system_attributes (
	trial_system_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_system_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_system_attributes" VALUES(1,1,'hedgerow:lease','{"worker": "39a4f03f7306", "machine": "elsewhere/boot/pid", "process": 4700, "born": "353989", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(2,1,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(3,1,'hedgerow:point','{"kind": "c", "x": 1, "y": 2.5, "bits[0]": 0, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(4,2,'hedgerow:lease','{"worker": "39a4f03f7306", "machine": "elsewhere/boot/pid", "process": 4700, "born": "353989", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(5,2,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(6,2,'hedgerow:point','{"kind": "c", "x": 1, "y": 2.5, "bits[0]": 1, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(7,3,'hedgerow:lease','{"worker": "39a4f03f7306", "machine": "elsewhere/boot/pid", "process": 4700, "born": "353989", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(8,3,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(9,3,'hedgerow:point','{"kind": "c", "x": 1, "y": 2.5, "bits[0]": 1, "bits[1]": 0}');
INSERT INTO "trial_system_attributes" VALUES(10,4,'hedgerow:lease','{"worker": "39a4f03f7306", "machine": "elsewhere/boot/pid", "process": 4700, "born": "353989", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(11,4,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(12,4,'hedgerow:point','{"kind": "a", "x": 1, "y": 1.5, "bits[0]": 1, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(13,5,'hedgerow:lease','{"worker": "39a4f03f7306", "machine": "elsewhere/boot/pid", "process": 4700, "born": "353989", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(14,5,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(15,5,'hedgerow:point','{"kind": "c", "x": 7, "y": 1.5, "bits[0]": 1, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(16,6,'hedgerow:lease','{"worker": "39a4f03f7306", "machine": "elsewhere/boot/pid", "process": 4700, "born": "353989", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(17,6,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(18,6,'hedgerow:point','{"kind": "b", "x": 0, "y": 2.5, "bits[0]": 1, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(19,7,'hedgerow:by_hand','true');
INSERT INTO "trial_system_attributes" VALUES(20,7,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(21,7,'hedgerow:point','{"kind": "c", "x": 1, "y": 0.5, "bits[0]": 1, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(22,8,'hedgerow:by_hand','true');
INSERT INTO "trial_system_attributes" VALUES(23,8,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(24,8,'hedgerow:point','{"kind": "a", "x": 2, "y": 2.5, "bits[0]": 1, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(25,9,'hedgerow:by_hand','true');
INSERT INTO "trial_system_attributes" VALUES(26,9,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(27,9,'hedgerow:point','{"kind": "a", "x": 1, "y": 2.5, "bits[0]": 0, "bits[1]": 0}');
INSERT INTO "trial_system_attributes" VALUES(28,9,'hedgerow:lost','"forgotten"');
INSERT INTO "trial_system_attributes" VALUES(29,10,'hedgerow:point','{"kind": "a", "x": 9, "y": 0.5, "bits[0]": 1, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(30,10,'hedgerow:unasked','true');
INSERT INTO "trial_system_attributes" VALUES(31,10,'hedgerow:lease','{"worker": "0b7ea9a1a8b1", "machine": "elsewhere/boot/pid", "process": 4700, "born": "353989", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(32,11,'hedgerow:point','{"kind": "c", "x": 0, "y": 1.5, "bits[0]": 0, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(33,11,'hedgerow:unasked','true');
INSERT INTO "trial_system_attributes" VALUES(34,11,'hedgerow:lease','{"worker": "218754f76041", "machine": "elsewhere/boot/pid", "process": 4700, "born": "353989", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(35,12,'hedgerow:lease','{"worker": "0123456789ab", "machine": "elsewhere/boot/pid", "process": 4711, "born": "99", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(36,12,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(37,12,'hedgerow:point','{"kind": "c", "x": 2, "y": 2.5, "bits[0]": 0, "bits[1]": 0}');
INSERT INTO "trial_system_attributes" VALUES(38,13,'hedgerow:lease','{"worker": "0123456789ab", "machine": "elsewhere/boot/pid", "process": 4711, "born": "99", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(39,13,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(40,13,'hedgerow:point','{"kind": "a", "x": 0, "y": 1.5, "bits[0]": 1, "bits[1]": 0}');
INSERT INTO "trial_system_attributes" VALUES(41,14,'hedgerow:lease','{"worker": "0123456789ab", "machine": "elsewhere/boot/pid", "process": 4711, "born": "99", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(42,14,'hedgerow:asked_with','"method auto, seed 3, hedgerow 0.1.0"');
INSERT INTO "trial_system_attributes" VALUES(43,14,'hedgerow:point','{"kind": "a", "x": 1, "y": 1.5, "bits[0]": 0, "bits[1]": 1}');
INSERT INTO "trial_system_attributes" VALUES(44,12,'hedgerow:lost','"vanished"');
INSERT INTO "trial_system_attributes" VALUES(45,15,'hedgerow:point','{"kind": "c", "x": 2, "y": 2.5, "bits[0]": 0, "bits[1]": 0}');
INSERT INTO "trial_system_attributes" VALUES(46,15,'hedgerow:unasked','true');
INSERT INTO "trial_system_attributes" VALUES(47,15,'hedgerow:lease','{"worker": "817d6398552f", "machine": "elsewhere/boot/pid", "process": 4700, "born": "353989", "beat": 0}');
INSERT INTO "trial_system_attributes" VALUES(48,15,'hedgerow:late_for','11');
INSERT INTO "trial_system_attributes" VALUES(49,13,'hedgerow:lost','"interrupted"');
INSERT INTO "trial_system_attributes" VALUES(50,16,'fixed_params','{"x": 1, "kind": "b"}');
CREATE TABLE trial_user_attributes (
	trial_user_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_user_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_user_attributes" VALUES(1,11,'hedgerow','{"reason": "told as failed", "seconds": 0.0}');
CREATE TABLE trial_values (
	trial_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	value FLOAT, 
	value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_value_id), 
	UNIQUE (trial_id, objective), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_values" VALUES(1,1,0,9.5,'FINITE');
INSERT INTO "trial_values" VALUES(2,2,0,10.5,'FINITE');
INSERT INTO "trial_values" VALUES(3,3,0,9.5,'FINITE');
INSERT INTO "trial_values" VALUES(4,4,0,9.5,'FINITE');
INSERT INTO "trial_values" VALUES(5,5,0,-2.5,'FINITE');
INSERT INTO "trial_values" VALUES(6,6,0,7.5,'FINITE');
INSERT INTO "trial_values" VALUES(7,8,0,4.25,'FINITE');
INSERT INTO "trial_values" VALUES(8,10,0,7.5,'FINITE');
INSERT INTO "trial_values" VALUES(9,15,0,3.5,'FINITE');
CREATE TABLE trials (
	trial_id INTEGER NOT NULL, 
	number INTEGER, 
	study_id INTEGER, 
	state VARCHAR(8) NOT NULL, 
	datetime_start DATETIME, 
	datetime_complete DATETIME, 
	PRIMARY KEY (trial_id), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "trials" VALUES(1,0,1,'COMPLETE','2026-11-18 01:24:18.954750','2026-11-18 01:24:19.073416');
INSERT INTO "trials" VALUES(2,1,1,'COMPLETE','2026-11-18 01:24:19.106400','2026-11-18 01:24:19.178744');
INSERT INTO "trials" VALUES(3,2,1,'COMPLETE','2026-11-18 01:24:19.784997','2026-11-18 01:24:19.831043');
INSERT INTO "trials" VALUES(4,3,1,'COMPLETE','2026-11-18 01:24:19.901287','2026-11-18 01:24:19.955373');
INSERT INTO "trials" VALUES(5,4,1,'COMPLETE','2026-11-18 01:24:20.043376','2026-11-18 01:24:20.090739');
INSERT INTO "trials" VALUES(6,5,1,'COMPLETE','2026-11-18 01:24:20.188442','2026-11-18 01:24:20.283702');
INSERT INTO "trials" VALUES(7,6,1,'RUNNING','2026-11-18 01:24:20.811462',NULL);
INSERT INTO "trials" VALUES(8,7,1,'COMPLETE','2026-11-18 01:24:20.899747','2026-11-18 01:24:21.058444');
INSERT INTO "trials" VALUES(9,8,1,'FAIL','2026-11-18 01:24:20.979432','2026-11-18 01:24:21.100099');
INSERT INTO "trials" VALUES(10,9,1,'COMPLETE','2026-11-18 01:24:21.141897','2026-11-18 01:24:21.171510');
INSERT INTO "trials" VALUES(11,10,1,'FAIL','2026-11-18 01:24:21.206176','2026-11-18 01:24:21.251301');
INSERT INTO "trials" VALUES(12,11,1,'FAIL','2026-11-18 01:24:21.381757','2026-11-18 01:24:21.574433');
INSERT INTO "trials" VALUES(13,12,1,'FAIL','2026-11-18 01:24:21.421446','2026-11-18 01:24:21.664906');
INSERT INTO "trials" VALUES(14,13,1,'RUNNING','2026-11-18 01:24:21.490927',NULL);
INSERT INTO "trials" VALUES(15,14,1,'COMPLETE','2026-11-18 01:24:21.612528','2026-11-18 01:24:21.650450');
INSERT INTO "trials" VALUES(16,15,1,'WAITING',NULL,NULL);
CREATE TABLE version_info (
	version_info_id INTEGER NOT NULL, 
	schema_version INTEGER, 
	library_version VARCHAR(256), 
	PRIMARY KEY (version_info_id), 
	CHECK (version_info_id=1)
);
INSERT INTO "version_info" VALUES(1,12,'5.0.0');
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE INDEX ix_trials_study_id ON trials (study_id);
COMMIT;
