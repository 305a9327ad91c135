from core.doors.cli import main

main()
