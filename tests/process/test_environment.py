"""What child processes find in their environment."""

from poolwright.process.child import child_environment


def test_that_the_frozen_programs_library_path_is_not_passed_on() -> None:
    frozen = {"LD_LIBRARY_PATH": "/opt/poolwright/_internal", "LD_LIBRARY_PATH_ORIG": "/usr/lib/mine", "PATH": "/bin"}
    made = child_environment(frozen)
    assert made["LD_LIBRARY_PATH"] == "/usr/lib/mine"
    assert "LD_LIBRARY_PATH_ORIG" not in made


def test_that_the_locale_is_c_whatever_the_user_has() -> None:
    made = child_environment({"LANG": "de_DE.UTF-8", "LC_TIME": "zh_CN.UTF-8", "LANGUAGE": "de", "PATH": "/bin"})
    assert {k: v for k, v in made.items() if k.startswith(("LC_", "LANG"))} == {"LC_ALL": "C", "LANG": "C"}


def test_that_sbin_is_searched_last_and_once() -> None:
    path = child_environment({"PATH": "/home/me/bin:/usr/sbin"})["PATH"].split(":")
    assert path[:2] == ["/home/me/bin", "/usr/sbin"]
    assert path.count("/usr/sbin") == 1
    assert "/sbin" in path


def test_that_no_program_is_looked_for_in_the_current_folder() -> None:
    assert child_environment({"PATH": ".:/bin::bin:./x"})["PATH"].split(":")[0] == "/bin"
    assert all(folder.startswith("/") for folder in child_environment({"PATH": ".:"})["PATH"].split(":"))


def test_that_extra_variables_win() -> None:
    assert child_environment({"PATH": "/bin", "A": "1"}, (("A", "2"), ("LC_ALL", "C.UTF-8")))["LC_ALL"] == "C.UTF-8"
